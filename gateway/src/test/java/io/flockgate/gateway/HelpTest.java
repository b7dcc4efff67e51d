package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.SubCommands;
import io.flockgate.testsupport.Repository;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The help texts, and what repeats them: the launcher, the man pages and the completions. */
class HelpTest {
    private static final Path SHARE = Repository.file("deploy/dist/share");
    private static final Path BASH = SHARE.resolve("bash-completion/completions/flockgate");
    private static final Pattern HELP_OPTION = Pattern.compile("(?m)^  (?:-[a-z], )?(--[a-z-]+)");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]+[a-z]");

    private static String help(String... command) {
        List<String> words = new ArrayList<>(List.of(command));
        words.add("--help");
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        assertThat(Main.run(words, Map.of(), out, out)).isZero();
        return text.toString(StandardCharsets.UTF_8);
    }

    private static Set<String> options(String command) {
        Set<String> options = new TreeSet<>();
        HELP_OPTION.matcher(help(command)).results().forEach(found -> options.add(found.group(1)));
        // Those of a storage that only the tests of this module have.
        options.removeIf(option -> option.startsWith("--tiny-"));
        assertThat(options).as(command).contains("--help");
        return options;
    }

    private static List<String> commands() {
        List<String> commands = new ArrayList<>(SubCommands.WORDS);
        commands.add("serve");
        return commands;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bash-completion/completions/flockgate",
                "zsh/site-functions/_flockgate",
                "fish/vendor_completions.d/flockgate.fish"
            })
    void aCompletionHasTheCommandsAndTheOptionsOfTheHelpTextsAndNoOthers(String file) throws Exception {
        Set<String> all = new TreeSet<>();
        commands().forEach(command -> all.addAll(options(command)));
        String text = Files.readString(SHARE.resolve(file));
        assertThat(optionsIn(text)).isEqualTo(all);
        assertThat(List.of(text.split("[^a-z]+"))).containsAll(commands());
        String client = found("(?m)client[= ].*--server.*$", text);
        for (String command : SubCommands.WORDS) {
            String line =
                    found("(?m)(^ +" + command + "\\) (words|offered)=|options .*from " + command + "' ).*$", text);
            assertThat(optionsIn(line.replace("$client", client))).as(command).isEqualTo(options(command));
        }
    }

    private static Set<String> optionsIn(String text) {
        return OPTION.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .findFirst()
                .orElseThrow()
                .group();
    }

    @Test
    void theManPagesHaveTheCommandsAndTheOptionsOfRunAndNoOthers() throws Exception {
        assertThat(man("flockgate").lines().filter(line -> line.matches("\\\\fB[a-z]+\\\\fR")))
                .map(line -> line.replaceAll("\\\\f[BR]", ""))
                .containsExactlyInAnyOrderElementsOf(commands());
        Stream<String> bold = man("flockgate-run").lines().filter(line -> line.startsWith("\\fB"));
        assertThat(optionsIn(bold.collect(Collectors.joining()).replace("\\-", "-")))
                .isEqualTo(options("run"));
    }

    private static String man(String name) throws Exception {
        return Files.readString(SHARE.resolve("man/man1/" + name + ".1"));
    }

    @Test
    void theOverviewHasALineForEachCommandAndTheOnlyExitStatuses() {
        String overview = help();
        assertReadable(overview);
        assertThat(overview.lines()).contains("Exit status:");
        for (String command : commands()) {
            assertThat(overview).containsPattern("(?m)^  " + command + " +[A-Z]");
            assertReadable(help(command));
            assertThat(help(command)).as(command).doesNotContain("Exit status:");
        }
    }

    private static void assertReadable(String help) {
        assertThat(help).endsWith("\n").doesNotContain("\t");
        assertThat(help.lines()).noneMatch(line -> line.length() > 100 || line.endsWith(" "));
    }

    @Test
    void theLauncherKnowsEverySubCommand() throws Exception {
        assertThat(Files.readAllLines(Repository.file("flockgate")))
                .filteredOn(line -> line.strip().startsWith("run | "))
                .singleElement()
                .satisfies(line -> assertThat(line.strip().replace(")", "").split(" \\| ", -1))
                        .containsExactlyInAnyOrderElementsOf(SubCommands.WORDS));
    }

    @Test
    @Tag("process")
    void bashCompletesCommandsFilesKeysAndTheCommandBehindTwoDashes(@TempDir Path directory) throws Exception {
        assertThat(completed("flockgate", "fl")).containsExactly("fleetlock");
        assertThat(completed("flockgate", "fleetlock", "un")).containsExactly("unlock");
        assertThat(completed("flockgate", "token", "n")).containsExactly("new");
        assertThat(completed("flockgate", "--tls-cl")).containsExactly("--tls-client-ca");
        Path file = Files.createFile(directory.resolve("unusual-name"));
        assertThat(completed("flockgate", "ls", "--ca-file", directory + "/unus"))
                .containsExactly(file.toString());
        assertThat(completed("flockgate", "run", "--key", "k", "--", "bas")).contains("bash");
        assertThat(completed("flockgate", "run", "--key", "")).containsExactly("deploy/a", "nightly");
        assertThat(completed("flockgate", "show", "n")).containsExactly("nightly");
    }

    /** The completions of the last word, with keys of which one would run a command if expanded. */
    private List<String> completed(String... words) throws Exception {
        String array = String.join(
                " ", Arrays.stream(words).map(word -> "'" + word + "'").toList());
        String script =
                "flockgate() { printf '%s\\n' 'KEY KIND' 'deploy/a lock' '$(echo${IFS}x) lock' 'nightly lock'; }\n"
                        + "source '" + BASH + "'; COMP_WORDS=(" + array
                        + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _flockgate; printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).isZero();
        return out.lines().filter(line -> !line.isEmpty()).toList();
    }
}
