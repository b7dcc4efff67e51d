package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The syntax of Go's flag package, as its results for the same arguments show. */
class CommandLineTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port 1",
                "-port 1",
                "--port=1",
                "-port=1",
                "--port 2 --port 1",
                "serve --port 1",
                "--port 1 --"
            })
    void aFlagIsWrittenInAnyOfGosWays(String line) {
        assertThat(Reading.PLAIN.served(line.split(" ")).tcp().port()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "--debug, true",
        "-debug, true",
        "--debug=true, true",
        "--debug=1, true",
        "--debug=T, true",
        "--debug=t, true",
        "--debug=TRUE, true",
        "--debug=True, true",
        "--debug --debug, true",
        "--debug --port 1, true",
        "--debug=false, false",
        "-debug=0, false",
        "--debug=f, false",
        "--debug=F, false",
        "--debug=FALSE, false",
        "--debug=False, false",
        "--debug=true --debug=false, false",
        "--debug=false --debug, true",
    })
    void aSwitchIsWrittenInAnyOfGosWays(String line, boolean expected) {
        assertThat(Reading.PLAIN.served(line.split(" ")).debug()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "no", "tRUE", "2", "", "on"})
    void aSwitchKnowsNoOtherWordsOnTheCommandLine(String value) {
        assertThat(Reading.PLAIN.refused("--debug=" + value))
                .isEqualTo("--debug must be true or false (got \"%s\")", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--debug", "-secret", "-debug=x", "\"q\"", "a=b", "@x", "--", "-"})
    void aFlagTakesAnyNextWordAsItsValue(String token) {
        NamedToken read =
                Reading.PLAIN.served("--auth-token", token).auth().token().orElseThrow();
        assertThat(Tokens.of(read).find(token.getBytes(StandardCharsets.UTF_8))).isSameAs(read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--por", "-port1", "-hostname", "-p", "---port", "--=", "--Port", "--data-dirs"})
    void aFlagThatIsNotKnownIsRefusedByItsWholeName(String word) {
        assertThat(Reading.PLAIN.refused(word + "=7", "x"))
                .startsWith("unknown option \"" + word.replace("=", "") + "\"")
                .endsWith(" (see --help)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port 1 start",
                "serve start",
                "--port 1 serve",
                "-- start",
                "-",
                "serve serve",
                "",
                "--debug false",
                "--debug true --port 1"
            })
    void strayWordsAreRefused(String line) {
        assertThat(Reading.PLAIN.refused(line.split(" "))).startsWith("unexpected word \"");
    }

    @Test
    void aStrayWordNextToATokenIsNotShown() {
        assertThat(Reading.PLAIN.refused("--auth-token", "my", "secret"))
                .isEqualTo("unexpected word on the command line (see --help)");
    }

    @Test
    void theValueOfAnUnknownFlagIsNotShown() {
        assertThat(Reading.PLAIN.refused("--auth-tokne=secret")).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-help", "-h", "--h", "serve --help", "--port x --help", "--help --nope"})
    void helpIsAnsweredBeforeSettingsAreChecked(String line) {
        assertThat(Reading.PLAIN.read(line.split(" "))).isInstanceOf(Invocation.Help.class);
    }

    @Test
    void helpIsAnOverviewOrOfTheServer() {
        assertThat(help("--help"))
                .isEqualTo(help("help"))
                .isEqualTo(help("--help --http-port=1"))
                .contains("flockgate serve --help", "--http-port 6389", "Exit status:")
                .doesNotContain("--max-locks");
        assertThat(help("serve --help"))
                .isEqualTo(help("help serve"))
                .contains("--max-locks <")
                .doesNotContain("Exit status");
    }

    private static String help(String line) {
        return ((Invocation.Help) Reading.PLAIN.read(line.split(" "))).text();
    }

    @Test
    void versionIsAnsweredOnceAllSettingsAreFoundValid() {
        assertThat(Reading.PLAIN.read("--version")).isEqualTo(new Invocation.Version());
        assertThat(Reading.PLAIN.read("--version=false")).isInstanceOf(Invocation.Serve.class);
        assertThat(Reading.PLAIN.refused("--version=maybe")).startsWith("--version must be true or false");
        assertThat(Reading.PLAIN.refused("--version", "--port", "70000")).startsWith("--port must be");
    }

    @ParameterizedTest
    @CsvSource({
        "--max-lock=9, 'unknown option \"--max-lock\": did you mean --max-locks? (see --help)'",
        "--port, '--port needs a value (see --help)'",
        "-helpp, 'unknown option \"-helpp\": did you mean --help? (see --help)'",
        "--nothing-like-it, 'unknown option \"--nothing-like-it\" (see --help)'",
        "serve rnu, 'unexpected word \"rnu\" on the command line: did you mean run? (see --help)'",
        "--debug unlock, 'unexpected word \"unlock\" on the command line: did you mean release? (see --help)'"
    })
    void aWordThatIsNotKnownIsRefusedAndOneThatIsNearlyKnownSuggested(String line, String message) {
        assertThat(CommandLine.read(List.of(line.split(" ")), Map.of())).isEqualTo(new Invocation.Invalid(message));
    }

    @ParameterizedTest
    @CsvSource({
        "rnu --key deploy -- true, 'unknown command \"rnu\": did you mean run? (see --help)'",
        "serv, 'unknown command \"serv\": did you mean serve? (see --help)'",
        "fleetlok, 'unknown command \"fleetlok\": did you mean fleetlock? (see --help)'",
        "rnu --auth-token secret, 'unknown command \"rnu\": did you mean run? (see --help)'",
        "unlock deploy, 'unknown command \"unlock\": did you mean release? (see --help)'",
        "list, 'unknown command \"list\": did you mean ls? (see --help)'",
        "status, 'unknown command \"status\": did you mean show or health? (see --help)'",
        "start, 'unknown command \"start\": did you mean serve? (see --help)'",
    })
    void aCommandThatIsNearlyKnownIsSuggested(String line, String message) {
        assertThat(CommandLine.read(List.of(line.split(" ")), Map.of()))
                .isEqualTo(new Invocation.UnknownSubCommand(message));
    }

    @Test
    void aFirstWordThatIsNotKnownIsAnsweredWithThoseThatAre() {
        assertThat(CommandLine.read(List.of("mutex"), Map.of()))
                .isInstanceOfSatisfying(
                        Invocation.UnknownSubCommand.class,
                        unknown -> assertThat(unknown.line())
                                .startsWith(
                                        "flockgate: unknown command \"mutex\": the commands are serve, run, lock, "));
    }

    @Test
    void helpAndVersionMayBeWords() {
        assertThat(CommandLine.read(List.of("help"), Map.of())).isInstanceOf(Invocation.Help.class);
        assertThat(CommandLine.read(List.of("help", "fleetlock"), Map.of()))
                .isEqualTo(new Invocation.SubCommand("fleetlock", List.of("--help")));
        assertThat(CommandLine.read(List.of("version"), Map.of())).isEqualTo(new Invocation.Version());
        assertThat(CommandLine.read(List.of("-v"), Map.of())).isEqualTo(new Invocation.Version());
    }
}
