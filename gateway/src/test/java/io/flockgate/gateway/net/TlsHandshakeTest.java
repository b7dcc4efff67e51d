package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TlsHandshakeTest {
    /** A record of TLS 1.3 with one byte: header, byte, type, and tag. */
    private static final int SMALLEST_RECORD = 5 + 1 + 1 + 16;

    private static final class NoAdmission implements TlsHandshake.Admission {
        @Override
        public @Nullable SslContext enter(Runnable evict) {
            return null;
        }

        @Override
        public void leave() {}
    }

    @Test
    void aConnectionHasFewRecordsInATurn() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Channels.readInLargePieces(channel);

        var unused = TlsHandshake.begin(
                new NoAdmission(),
                channel,
                new HandshakeTasks(Runnable::run, 1).lane("site", "group"),
                TimeUnit.HOURS.toNanos(1));

        var reads = channel.unsafe().recvBufAllocHandle();
        assertThat(reads.guess() / SMALLEST_RECORD).isLessThan(32);
        reads.reset(channel.config());
        reads.incMessagesRead(1);
        reads.lastBytesRead(reads.guess());
        assertThat(reads.continueReading()).as("a second read in the turn").isFalse();
        assertThat(channel.close().isSuccess()).isTrue();
    }
}
