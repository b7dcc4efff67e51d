package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class DataEngineTest {
    /** The engine accepts this warning even before a ClientHello, without limit. */
    private static final byte[] USER_CANCELED = {21, 3, 3, 0, 2, 1, 90};

    /** That of a server without a certificate. */
    static DataEngine engine() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
        SSLEngine server = context.createSSLEngine();
        server.setUseClientMode(false);
        return new DataEngine(server);
    }

    @Test
    void recordsAreCounted() throws Exception {
        DataEngine engine = engine();
        ByteBuffer target = ByteBuffer.allocate(20_000);
        for (int i = 0; i < RecordLimits.MAX_HANDSHAKE_RECORDS; i++) {
            assertThat(engine.unwrap(ByteBuffer.wrap(USER_CANCELED), target).bytesConsumed())
                    .isEqualTo(USER_CANCELED.length);
        }

        assertThatThrownBy(() -> engine.unwrap(ByteBuffer.wrap(USER_CANCELED), target))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("too many records or bytes in a handshake");
    }
}
