package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.flockgate.storage.consul.environment.SystemEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSourceTest {
    private final FakeClock clock = new FakeClock();

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(directory.resolve("token"), "first\n");
    }

    private TokenSource open() {
        return TokenSource.file(new SystemEnvironment(clock::nanos), file);
    }

    /** {@code ReloadedFilesTest} tells when the file is read. */
    @Test
    void theTokenIsThatOfTheFileUnlessItHasNone() throws IOException {
        TokenSource token = open();
        assertThat(token.token()).isEqualTo("first");
        Files.writeString(file, "two words");
        clock.advance(Duration.ofSeconds(1));
        assertThat(token.token()).isEqualTo("first");
        Files.writeString(file, "second");
        clock.advance(Duration.ofSeconds(1));
        assertThat(token.token()).isEqualTo("second");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "two words", "line\r\nX-Other: 1", "t\u0000", "t\u00e9"})
    void whatIsNoTokenIsRefusedFromTheStart(String text) throws IOException {
        Files.writeString(file, text);

        assertThatIllegalArgumentException().isThrownBy(this::open);
        assertThatIllegalArgumentException().isThrownBy(() -> TokenSource.of(text));
    }

    @Test
    void aFileThatIsTooLargeOrMissingIsRefusedFromTheStart() throws IOException {
        Files.writeString(file, "x".repeat(5000));
        assertThatIllegalArgumentException().isThrownBy(this::open);
        Files.delete(file);
        assertThatIllegalArgumentException().isThrownBy(this::open).withMessageContaining("token");
    }
}
