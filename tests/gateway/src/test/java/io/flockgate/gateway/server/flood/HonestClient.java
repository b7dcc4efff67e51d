package io.flockgate.gateway.server.flood;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that holds a lock and renews its lease all the time, and records the longest time that
 * an answer took.
 */
final class HonestClient implements AutoCloseable {
    private static final long NANOS_BETWEEN_RENEWALS = 5_000_000;
    private static final int LEASE_SECONDS = 600;

    /**
     * Longer than any renewal may take, which is checked at the end, when the load of the machine
     * is known.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final LineClient client;
    private final HeldGrant held;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long longestNanos;
    private volatile @Nullable Throwable failure;

    private HonestClient(LineClient client) throws IOException {
        this.client = client;
        this.held = client.lock("honest", 0, LEASE_SECONDS);
        this.thread = Thread.ofPlatform().daemon().name("honest").unstarted(this::renew);
    }

    static HonestClient start(LineClient client) throws IOException {
        HonestClient honest = new HonestClient(client.patience(PATIENCE));
        honest.thread.start();
        return honest;
    }

    private void renew() {
        try {
            while (!stopped) {
                long begun = System.nanoTime();
                String answer = client.renew(held, LEASE_SECONDS);
                if (!answer.equals("ok " + LEASE_SECONDS)) {
                    throw new AssertionError("a renewal was answered " + answer);
                }
                longestNanos = Math.max(longestNanos, System.nanoTime() - begun);
                LockSupport.parkNanos(NANOS_BETWEEN_RENEWALS);
            }
        } catch (IOException | AssertionError e) {
            failure = e;
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
