package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that holds a lock and renews its lease all the time, connects again now and then, and
 * records the longest time that an answer took.
 */
final class HonestClient implements AutoCloseable {
    private static final long NANOS_BETWEEN_RENEWALS = 5_000_000;
    private static final int RENEWALS_PER_CONNECTION = 20;
    private static final int LEASE_SECONDS = 600;

    /**
     * Longer than any renewal may take, which is checked at the end, when the load of the machine
     * is known.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Opening opening;
    private final LineClient client;
    private final HeldGrant held;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long longestNanos;
    private volatile @Nullable Throwable failure;

    /** Connects to the gateway. */
    @FunctionalInterface
    interface Opening {
        LineClient open() throws IOException;
    }

    private HonestClient(Opening opening) throws IOException {
        this.opening = opening;
        this.client = opening.open().patience(PATIENCE);
        this.held = client.lock("honest", 0, LEASE_SECONDS);
        this.thread = Thread.ofPlatform().daemon().name("honest").unstarted(this::renew);
    }

    static HonestClient start(Opening opening) throws IOException {
        HonestClient honest = new HonestClient(opening);
        honest.thread.start();
        return honest;
    }

    private void renew() {
        try {
            for (int i = 0; !stopped; i++) {
                long begun = System.nanoTime();
                assertThat(client.renew(held, LEASE_SECONDS)).isEqualTo("ok " + LEASE_SECONDS);
                if (i % RENEWALS_PER_CONNECTION == 0) {
                    connectAgain();
                }
                longestNanos = Math.max(longestNanos, System.nanoTime() - begun);
                LockSupport.parkNanos(NANOS_BETWEEN_RENEWALS);
            }
        } catch (IOException | AssertionError e) {
            failure = e;
        }
    }

    private void connectAgain() throws IOException {
        try (LineClient again = opening.open().patience(PATIENCE)) {
            assertThat(again.ping()).isEqualTo("ok");
        }
    }

    /** The longest time of an answer, in nanoseconds. */
    long stop() throws InterruptedException {
        stopped = true;
        thread.join();
        if (failure != null) {
            throw new AssertionError("the honest client was not served", failure);
        }
        return longestNanos;
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        client.close();
    }
}
