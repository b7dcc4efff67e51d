package io.flockgate.client.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;

class ReasonsTest {
    @Test
    void anUnknownHostIsNoRefusedConnection() {
        // As the JDK's HTTP client reports them: both without a message.
        IOException refused = new ConnectException();
        IOException unknown = new ConnectException();
        Throwable unused = unknown.initCause(new UnresolvedAddressException());

        assertThat(Reasons.of(refused)).isEqualTo("connection refused");
        assertThat(Reasons.of(unknown)).isEqualTo("the name of its host is not known");
    }
}
