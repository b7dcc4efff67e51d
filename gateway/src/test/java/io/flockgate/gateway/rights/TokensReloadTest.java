package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensReloadTest {
    private static final byte[] NEW_SECRET = "new".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OLD_SECRET = "old".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private final LogLines lines = new LogLines(TokensReload.class);
    private Path file;
    private Authenticator authenticator;
    private TokensReload reload;
    private long changes;

    @BeforeEach
    void start() throws IOException {
        file = directory.resolve("tokens.json");
        write("old", OLD_SECRET);
        byte[] content = Files.readAllBytes(file);
        TokensReload.Version version = TokensReload.Version.of(null, content);
        authenticator = Authenticator.of(version.tokens());
        reload = new TokensReload(file, null, authenticator, version);
    }

    @AfterEach
    void detach() {
        lines.close();
    }

    private void write(String name, byte[] secret) throws IOException {
        write("{\"tokens\":[{\"name\":\"" + name + "\",\"sha256\":\""
                + HexFormat.of().formatHex(Sha256.of(secret)) + "\",\"allow\":[\"all\"]}]}");
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
        // Later than the last change, because some file systems have coarse timestamps.
        changes++;
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000 * changes));
    }

    private List<String> log() {
        return lines.all().stream()
                .map(line -> line.replaceFirst(" file=.*", ""))
                .toList();
    }

    @Test
    void aNewVersionCountsAtTheNextCheck() throws IOException {
        reload.check();
        assertThat(log()).isEmpty();
        write("new", NEW_SECRET);
        assertThat(authenticator.find(NEW_SECRET)).isNull();
        reload.check();
        assertThat(authenticator.find(NEW_SECRET)).extracting(Principal::name).isEqualTo("new");
        assertThat(authenticator.find(OLD_SECRET)).isNull();
        assertThat(log()).containsExactly("INFO tokens file read again");
    }

    @Tag("process")
    @Test
    void aPipeKeepsTheTokensAndIsNotWaitedFor() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        try (LogLines all = LogLines.ofAllThreads(TokensReload.class)) {
            CompletableFuture.runAsync(
                            reload::check, task -> Thread.ofPlatform().daemon().start(task))
                    .get(60, TimeUnit.SECONDS);
            assertThat(all.all())
                    .filteredOn(line -> line.contains(file.toString()))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR tokens file cannot be used")
                    .contains("not a regular file");
        }
        assertThat(authenticator.find(OLD_SECRET)).isNotNull();
    }

    @Test
    void aBrokenVersionKeepsTheTokensAndIsOneError() throws IOException {
        write("{\"tokens\":[");
        reload.check();
        reload.check();
        assertThat(authenticator.find(OLD_SECRET)).isNotNull();
        assertThat(log()).containsExactly("ERROR tokens file cannot be used; its last version stays in use");
        write("{\"tokens\":7}");
        reload.check();
        assertThat(log()).hasSize(2);
        write("new", NEW_SECRET);
        reload.check();
        assertThat(authenticator.find(NEW_SECRET)).isNotNull();
        assertThat(log()).hasSize(3).last().isEqualTo("INFO tokens file read again");
    }

    @Test
    void aMissingFileKeepsTheTokensAndIsOneError() throws IOException {
        Files.delete(file);
        reload.check();
        reload.check();
        assertThat(authenticator.find(OLD_SECRET)).isNotNull();
        assertThat(log()).hasSize(1);
        write("old", OLD_SECRET);
        reload.check();
        assertThat(log()).hasSize(2);
    }

    @Test
    void aFileThatHasBeenReplacedIsReadEvenWithTheSameTimeAndLength() throws IOException {
        reload.check();
        FileTime time = Files.getLastModifiedTime(file);
        Path other = directory.resolve("other");
        Files.writeString(
                other,
                Files.readString(file)
                        .replace(
                                HexFormat.of().formatHex(Sha256.of(OLD_SECRET)),
                                HexFormat.of().formatHex(Sha256.of(NEW_SECRET))));
        Files.setLastModifiedTime(other, time);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        reload.check();
        assertThat(authenticator.find(NEW_SECRET)).isNotNull();
    }
}
