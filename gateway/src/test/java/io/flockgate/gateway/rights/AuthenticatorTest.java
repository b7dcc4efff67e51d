package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.testsupport.LogLines;
import io.flockgate.text.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthenticatorTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NEW_SECRET = "new".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OLD_SECRET = "old".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private final LogLines lines = new LogLines(Authenticator.class);
    private Path file;
    private Authenticator authenticator;
    private Runnable reload;
    private long changes;

    @BeforeEach
    void start() throws IOException {
        file = directory.resolve("tokens.json");
        write("old", OLD_SECRET);
        Audit audit = new Audit();
        authenticator = new Authenticator(Tokens.ofFile(null, Files.readAllBytes(file)), audit);
        reload = authenticator.reload(file, null);
    }

    @AfterEach
    void detach() {
        lines.close();
    }

    private void write(String name, byte[] secret) throws IOException {
        write("{\"tokens\":[{\"name\":\"" + name + "\",\"sha256\":\"" + Sha256.hex(secret)
                + "\",\"allow\":[\"all\"]}]}");
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
        reload.run();
        assertThat(log()).isEmpty();
        write("new", NEW_SECRET);
        assertThat(authenticator.tokens().find(NEW_SECRET)).isNull();
        reload.run();
        assertThat(authenticator.tokens().find(NEW_SECRET))
                .extracting(NamedToken::name)
                .isEqualTo("new");
        assertThat(authenticator.tokens().find(OLD_SECRET)).isNull();
        assertThat(log()).containsExactly("INFO tokens file read again");
    }

    @Tag("process")
    @Test
    void aPipeKeepsTheTokensAndIsNotWaitedFor() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        try (LogLines all = LogLines.ofAllThreads(Authenticator.class)) {
            CompletableFuture.runAsync(
                            reload, task -> Thread.ofPlatform().daemon().start(task))
                    .get(60, TimeUnit.SECONDS);
            assertThat(all.all())
                    .filteredOn(line -> line.contains(file.toString()))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR tokens file cannot be used")
                    .contains("not a regular file");
        }
        assertThat(authenticator.tokens().find(OLD_SECRET)).isNotNull();
    }

    /** ReloadedFilesTest has the other rules. */
    @Test
    void aFileThatCannotBeUsedKeepsTheTokensAndIsReportedUntilItCan() throws IOException {
        write("{\"tokens\":[");
        reload.run();
        reload.run();
        assertThat(authenticator.tokens().find(OLD_SECRET)).isNotNull();
        assertThat(log()).containsExactly("ERROR tokens file cannot be used; its last version stays in use");
        write("old", OLD_SECRET);
        reload.run();
        assertThat(log()).hasSize(2).last().isEqualTo("INFO tokens file read again");
    }

    @Test
    void aFileThatHasBeenReplacedIsReadEvenWithTheSameTimeAndLength() throws IOException {
        reload.run();
        FileTime time = Files.getLastModifiedTime(file);
        Path other = directory.resolve("other");
        Files.writeString(other, Files.readString(file).replace(Sha256.hex(OLD_SECRET), Sha256.hex(NEW_SECRET)));
        Files.setLastModifiedTime(other, time);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        reload.run();
        assertThat(authenticator.tokens().find(NEW_SECRET)).isNotNull();
    }

    private static Tokens watcher() {
        return Tokens.of(new NamedToken("watcher", Rights.of(List.of("read")), Sha256.of(SECRET), "watcher.test"));
    }

    private static NamedToken found(Authenticator watched) {
        return Objects.requireNonNull(watched.tokens().find(SECRET));
    }

    @Test
    void rightsAreUnchangedUntilTheTokensChange() {
        Authenticator watched = new Authenticator(watcher(), new Audit());
        BooleanSupplier unchanged = watched.unchanged(found(watched));
        assertThat(watched.tokens().ofCertificate("watcher.test")).isSameAs(found(watched));
        assertThat(unchanged.getAsBoolean()).isTrue();

        watched.replace(watcher());

        assertThat(unchanged.getAsBoolean()).isFalse();
        assertThat(watched.unchanged(found(watched)).getAsBoolean()).isTrue();
    }

    @Test
    void rightsHaveChangedIfTheTokensDidAfterTheClientWasChecked() {
        Authenticator watched = new Authenticator(watcher(), new Audit());
        NamedToken checked = found(watched);
        watched.replace(Tokens.of());
        assertThat(watched.unchanged(checked).getAsBoolean()).isFalse();
    }
}
