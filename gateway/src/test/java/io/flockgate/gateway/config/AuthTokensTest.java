package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.Secrets.TokenFile;
import io.flockgate.text.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthTokensTest {
    private static final String[] NO_FLAGS = {};

    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, byte[]> files = new HashMap<>();

    @Test
    void sourcesWinInOrderOfFlagFlagFileVariableVariableFile() {
        file("flag", "from-flag-file\n");
        file("env", "from-env-file\n");
        environment.put("DFLOCKD_AUTH_TOKEN_FILE", "env");
        assertThat(found(NO_FLAGS)).isEqualTo(hash("from-env-file"));
        environment.put("DFLOCKD_AUTH_TOKEN", "from-env");
        assertThat(found(NO_FLAGS)).isEqualTo(hash("from-env"));
        assertThat(found("--auth-token-file", "flag")).isEqualTo(hash("from-flag-file"));
        assertThat(found("--auth-token-file", "missing", "--auth-token", "from-flag"))
                .isEqualTo(hash("from-flag"));
    }

    @Test
    void whiteSpaceAroundATokenIsDropped() {
        file("f", "\t s3cret \u00a0\r\n\n");
        assertThat(found("--auth-token-file", "f")).isEqualTo(hash("s3cret"));
        assertThat(found("--auth-token", " a b ")).isEqualTo(hash("a b"));
    }

    @Test
    void aLineBreakWithinATokenIsRefused() {
        file("f", "one\ntwo\n");
        assertThat(reading().refused("--auth-token-file", "f"))
                .isEqualTo("--auth-token-file: the token must not contain a line break");
        assertThat(reading().refused("--auth-token", "one\rtwo")).startsWith("--auth-token: the token must not");
    }

    @Test
    void anyGivenSourceThatIsBlankIsRefused() {
        file("f", " \n");
        assertThat(reading().refused("--auth-token=")).isEqualTo("--auth-token must not be blank");
        assertThat(reading().refused("--auth-token-file", " ")).isEqualTo("--auth-token-file must not be blank");
        assertThat(reading().refused("--auth-token-file", "f")).isEqualTo("--auth-token-file: the file is empty");
        environment.put("DFLOCKD_AUTH_TOKEN", " ");
        assertThat(reading().refused("--auth-token", "good")).isEqualTo("DFLOCKD_AUTH_TOKEN must not be blank");
    }

    @Test
    void aFileThatCannotBeReadIsRefusedWithTheReason() {
        assertThat(reading().refused("--auth-token-file", "missing"))
                .isEqualTo("--auth-token-file: cannot read \"missing\": no such file or directory");
        environment.put("DFLOCKD_AUTH_TOKEN_FILE", "a\0");
        assertThat(reading().refused()).isEqualTo("DFLOCKD_AUTH_TOKEN_FILE: cannot read \"a\\x00\": not a path");
    }

    @Test
    void aFileThatIsNotTextIsRefused() {
        files.put("f", new byte[] {(byte) 0xff, 'a'});
        assertThat(reading().refused("--auth-token-file", "f"))
                .isEqualTo("--auth-token-file: the file is not UTF-8 text");
    }

    @Test
    void aTokenFillsAtMostTheAuthLine() {
        file("f", "x".repeat(Secrets.MAX_BYTES));
        assertThat(found("--auth-token-file", "f")).isEqualTo(hash("x".repeat(Secrets.MAX_BYTES)));
        file("f", "x".repeat(Secrets.MAX_BYTES + 1));
        assertThat(reading().refused("--auth-token-file", "f"))
                .isEqualTo("--auth-token-file: the token is longer than 65536 bytes");
        assertThat(reading().refused("--auth-token", "é".repeat(40_000)))
                .startsWith("--auth-token: the token is longer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret\ns3cret", "s3cret\uFFFD"})
    void messagesHoldNothingOfTheToken(String token) {
        assertThat(reading().refused("--auth-token", token)).doesNotContain("s3cret");
    }

    @Test
    void aPrintedConfigurationHidesTheToken() {
        assertThat(reading().served("--auth-token", "s3cret").toString())
                .contains("NamedToken[auth-token]")
                .doesNotContain("s3cret");
    }

    @Test
    void theRealFileIsReadAndNoFurtherThanNeeded(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("token");
        Files.writeString(file, "t0ken\n");
        List<String> args = List.of("--auth-token-file", file.toString());
        assertThat(CommandLine.read(args, Map.of()))
                .isInstanceOfSatisfying(
                        Invocation.Serve.class,
                        serve -> assertThat(hash(serve.config())).isEqualTo(hash("t0ken")));
        Files.write(file, new byte[10 * Secrets.MAX_BYTES]);
        assertThat(TokenFile.SYSTEM.read(file, Secrets.MAX_BYTES)).hasSize(Secrets.MAX_BYTES + 1);
        assertThat(CommandLine.read(List.of("--auth-token-file", directory.toString()), Map.of()))
                .isInstanceOf(Invocation.Invalid.class);
    }

    private void file(String name, String content) {
        files.put(name, content.getBytes(StandardCharsets.UTF_8));
    }

    private Reading reading() {
        return new Reading(environment, files);
    }

    private String found(String... args) {
        return hash(reading().served(args));
    }

    private static String hash(GatewayConfig config) {
        return HexFormat.of().formatHex(config.auth().token().orElseThrow().sha256());
    }

    private static String hash(String secret) {
        return Sha256.hex(secret.getBytes(StandardCharsets.UTF_8));
    }

    @Tag("process")
    @ParameterizedTest
    @ValueSource(strings = {"--tokens-file", "--auth-token-file"})
    void aPipeIsRefusedAndNotWaitedFor(String flag, @TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<Invocation> read = CompletableFuture.supplyAsync(
                () -> CommandLine.read(List.of(flag, pipe.toString()), Map.of()),
                task -> Thread.ofPlatform().daemon().start(task));
        assertThat(read.get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Invocation.Invalid.class,
                        refused -> assertThat(refused.message())
                                .startsWith(flag + ": cannot read ")
                                .contains("not a regular file"));
    }
}
