package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.SubCommands;
import io.flockgate.gateway.manual.HelpPage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The man pages and completions of the real help texts. */
class ManualTest {
    private static final Pattern OPTION_LINE = Pattern.compile("(?m)^  (?:-[a-z], )?(--[a-z-]+)");

    @TempDir
    Path share;

    private String read(String name) throws Exception {
        return Files.readString(share.resolve(name));
    }

    private static String help(HelpPage page) {
        List<String> words = page.command().isEmpty() ? List.of("--help") : List.of(page.command(), "--help");
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        assertThat(Main.run(words, Map.of(), out, out)).isZero();
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everyOptionOfEveryHelpTextIsInTheManPageAndTheCompletions() throws Exception {
        Manual.main(new String[] {share.toString()});
        String fish = read("fish/vendor_completions.d/flockgate.fish");
        assertThat(Manual.pages())
                .extracting(HelpPage::command)
                .startsWith("", "serve")
                .containsAll(SubCommands.WORDS)
                .hasSize(SubCommands.WORDS.size() + 2);
        for (HelpPage page : Manual.pages()) {
            String name = page.command().isEmpty() ? "flockgate" : "flockgate-" + page.command();
            String man = read("man/man1/" + name + ".1");
            List<String> options = OPTION_LINE
                    .matcher(help(page))
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            assertThat(options).as(name).contains("--help");
            for (String option : options) {
                assertThat(man).contains("\\fB" + option.replace("-", "\\-") + "\\fR");
                assertThat(read("bash-completion/completions/flockgate")).contains(option);
                assertThat(read("zsh/site-functions/_flockgate")).contains("'*" + option + "[");
                assertThat(fish).contains(" -l " + option.substring(2) + " ");
            }
            assertThat(man).contains("\n" + name + " \\- ").doesNotContain("\n" + name + " \\- \n");
        }
    }

    @Test
    void theOverviewHasALineForEachCommandAndTheOnlyExitStatuses() {
        String overview = help(Manual.pages().getFirst());
        assertThat(overview.lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100))
                .contains("Exit status:");
        for (HelpPage page : Manual.pages().subList(1, Manual.pages().size())) {
            assertThat(overview)
                    .containsPattern("(?m)^  " + page.command() + " +" + Pattern.quote(page.summary()) + "$");
            assertThat(help(page)).as(page.command()).doesNotContain("Exit status:");
        }
    }

    @Test
    void theLauncherKnowsEverySubCommand() throws Exception {
        assertThat(Files.readAllLines(Path.of("..", "flockgate")))
                .filteredOn(line -> line.strip().startsWith("run | "))
                .singleElement()
                .satisfies(line -> assertThat(line.strip().replace(")", "").split(" \\| ", -1))
                        .containsExactlyInAnyOrderElementsOf(SubCommands.WORDS));
    }

    @Test
    void theWordsOfACommandAreCompleted() throws Exception {
        Manual.main(new String[] {share.toString()});
        assertThat(read("fish/vendor_completions.d/flockgate.fish"))
                .contains("__fish_seen_subcommand_from ls unlock pause resume id' -a 'ls unlock pause resume id'");
        assertThat(read("zsh/site-functions/_flockgate")).contains("'*:word:(ls unlock pause resume id)'");
    }

    @Test
    void twoRunsWriteTheSame() throws Exception {
        Manual.main(new String[] {share.toString()});
        String before = read("man/man1/flockgate.1") + read("fish/vendor_completions.d/flockgate.fish");
        Manual.main(new String[] {share.toString()});
        assertThat(read("man/man1/flockgate.1") + read("fish/vendor_completions.d/flockgate.fish"))
                .isEqualTo(before);
    }

    @Test
    @Tag("process")
    void bashCompletesCommandsOptionsFilesAndTheCommandBehindTwoDashes() throws Exception {
        Manual.main(new String[] {share.toString()});
        assertThat(completed("flockgate", "fl")).containsExactly("fleetlock");
        assertThat(completed("flockgate", "fleetlock", "un")).containsExactly("unlock");
        assertThat(completed("flockgate", "token", "n")).containsExactly("new");
        assertThat(completed("flockgate", "run", "--not")).containsExactly("--not-acquired-status");
        assertThat(completed("flockgate", "run", "--key", "")).isEmpty();
        assertThat(completed("flockgate", "--tls-cl")).containsExactly("--tls-client-ca");
        Path file = Files.createFile(share.resolve("unusual-name"));
        assertThat(completed("flockgate", "ls", "--ca-file", share + "/unus")).containsExactly(file.toString());
        assertThat(completed("flockgate", "run", "--key", "k", "--", "bas")).contains("bash");
    }

    private List<String> completed(String... words) throws Exception {
        String array = String.join(
                " ", Arrays.stream(words).map(word -> "'" + word + "'").toList());
        String script = "source '" + share.resolve("bash-completion/completions/flockgate") + "'; COMP_WORDS=(" + array
                + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _flockgate; printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).isZero();
        return out.lines().filter(line -> !line.isEmpty()).toList();
    }
}
