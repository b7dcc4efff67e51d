package io.flockgate.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.BufferOverflowException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ReasonTest {
    @Test
    void failuresHaveReasonsInWords() {
        assertThat(Reason.of(new NoSuchFileException("/x"))).isEqualTo("no such file or directory");
        assertThat(Reason.of(new AccessDeniedException("/x"))).isEqualTo("permission denied");
        assertThat(Reason.of(new FileSystemException("/x", null, "Read-only file system")))
                .isEqualTo("Read-only file system");
        assertThat(Reason.of(new ConnectException("Connect to a:1 [a/1.2.3.4] failed: Connection refused")))
                .isEqualTo("connection refused");
        assertThat(Reason.of(new SocketTimeoutException("Read timed out"))).isEqualTo("no answer in time");
        assertThat(Reason.of(new UnknownHostException("a.invalid"))).isEqualTo("unknown host a.invalid");
        assertThat(Reason.of(new IllegalStateException("it broke"))).isEqualTo("it broke");
        assertThat(Reason.of(new BufferOverflowException())).isEqualTo("buffer overflow");
    }
}
