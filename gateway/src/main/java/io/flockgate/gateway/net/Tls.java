package io.flockgate.gateway.net;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.log.RateLimitedLog;
import io.netty.channel.Channel;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of TLS, 1.2 and 1.3, for one port. Vert.x's own TLS is not used, because it
 * bounds neither the handshakes nor their computations. Thread safe.
 */
public final class Tls {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final int MAX_HANDSHAKES = 2_048;

    /** Maximum heap that a handshake takes, as measured: docs/design/limits.md. */
    private static final long ENGINE_BYTES = 100_000;

    /** Shared by both ports. Half of the processors are left to the event loops. */
    private static final HandshakeTasks COMPUTING =
            computing(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    private final Certificates certificates;
    private final long timeoutNanos;
    private final HandshakeSlots handshakes;
    private final RateLimitedLog tooMany;

    public Tls(Certificates certificates, Duration handshakeTimeout, Vertx vertx) {
        this.certificates = certificates;
        this.timeoutNanos = Times.nanos(handshakeTimeout);
        this.handshakes = handshakes(Runtime.getRuntime().maxMemory());
        this.tooMany = new RateLimitedLog(
                LOG,
                "too many TLS handshakes, closing connections",
                System::nanoTime,
                (millis, task) -> vertx.setTimer(millis, ignored -> task.run()));
    }

    private static HandshakeTasks computing(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-tls").factory());
        pool.allowCoreThreadTimeOut(true);
        return new HandshakeTasks(pool, threads);
    }

    /**
     * The engines of both ports take at most an eighth of the heap. An address group gets three
     * quarters of that.
     */
    private static HandshakeSlots handshakes(long heapBytes) {
        int max = Math.clamp(heapBytes / (16 * ENGINE_BYTES), 64, MAX_HANDSHAKES);
        return new HandshakeSlots(max, max * 3 / 4);
    }

    /**
     * Whether a handshake failed because the client does not speak TLS. The failure itself shows
     * what the client sent.
     */
    public static boolean isPlainClient(Throwable failure) {
        return failure instanceof NotSslRecordException || failure.getCause() instanceof NotSslRecordException;
    }

    /**
     * Puts TLS in front of a connection that has just been accepted, on its event loop. The future
     * completes there when the handshake is complete, with the name in the client's certificate,
     * which is empty without one. If the handshake fails or takes too long, the connection is
     * closed.
     *
     * @param address the peer's address, whose site and group take turns with others
     */
    Future<String> handshake(NetSocket socket, String address) {
        return handshake(Channels.of(socket), address);
    }

    /** The same for a connection of the HTTP port. */
    public Future<String> handshake(HttpConnection connection, String address) {
        return handshake(Channels.of(connection), address);
    }

    private Future<String> handshake(Channel channel, String address) {
        Promise<String> done = Promise.promise();
        String site = AddressGroup.siteOf(address);
        String group = AddressGroup.of(address);
        var unused = TlsHandshake.begin(new Place(site, group), channel, COMPUTING.lane(site, group), timeoutNanos)
                .addListener(ended -> {
                    if (ended.isSuccess()) {
                        done.complete(
                                certificates.asksClients() ? CertificateName.of(TlsHandshake.session(channel)) : "");
                    } else {
                        done.fail(ended.cause());
                    }
                });
        return done.future();
    }

    /** The place of a connection among the handshakes of this port. On its event loop. */
    private final class Place implements TlsHandshake.Admission {
        private final String site;
        private final String group;
        private HandshakeSlots.@Nullable Slot slot;

        private Place(String site, String group) {
            this.site = site;
            this.group = group;
        }

        @Override
        public @Nullable SslContext enter(Runnable evict) {
            HandshakeSlots.Slot wanted = new HandshakeSlots.Slot(site, group, () -> {
                tooMany(group);
                evict.run();
            });
            if (handshakes.enter(wanted)) {
                slot = wanted;
                return certificates.context();
            }
            tooMany(group);
            return null;
        }

        @Override
        public void leave() {
            if (slot != null) {
                handshakes.leave(slot);
            }
        }
    }

    private void tooMany(String group) {
        tooMany.warn(line -> line.addKeyValue("address", group));
    }
}
