package io.flockgate.gateway.server.http;

import io.flockgate.gateway.server.http.HoldingChecker.Holding;
import io.flockgate.testsupport.HeldGrant;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client that takes locks of its choice one after another, renews them and releases them,
 * whatever happens to its server.
 */
final class HoldingClient implements Runnable {
    static final int LEASE_SECONDS = 5;

    private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(LEASE_SECONDS);
    private static final long RENEWAL_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Calls calls;
    private final HoldingChecker checker;
    private final IntSupplier generation;
    private final int keys;
    private final boolean holdsLong;
    private final Random random;
    private volatile boolean stopping;

    /**
     * The calls of one protocol. An {@link IOException} or an {@link AssertionError} means that the
     * answer is unknown.
     */
    interface Calls extends AutoCloseable {
        /** The grant; null if the key is not free. */
        @Nullable
        HeldGrant acquire(String key, int leaseSeconds) throws IOException;

        /** Whether the grant is held. */
        boolean renew(HeldGrant grant, int leaseSeconds) throws IOException;

        /** Whether the grant was held. */
        boolean release(HeldGrant grant) throws IOException;

        /** Continues with another connection. */
        void reconnect() throws IOException;

        @Override
        void close() throws IOException;
    }

    /**
     * @param generation the number of the current process
     * @param holdsLong whether it holds each grant for longer than a lease, so that renewals alone
     *     keep the grant
     */
    HoldingClient(Calls calls, HoldingChecker checker, IntSupplier generation, int keys, boolean holdsLong, long seed) {
        this.calls = calls;
        this.checker = checker;
        this.generation = generation;
        this.keys = keys;
        this.holdsLong = holdsLong;
        this.random = new Random(seed);
    }

    void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        try (calls) {
            reconnect();
            while (!stopping) {
                takeOne("key-" + random.nextInt(keys));
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            checker.fault("a client has ended: " + e);
        }
    }

    private void takeOne(String key) {
        long asked = System.nanoTime();
        @Nullable HeldGrant grant;
        try {
            grant = calls.acquire(key, LEASE_SECONDS);
        } catch (IOException | AssertionError e) {
            reconnect();
            return;
        }
        if (grant != null) {
            hold(checker.enter(grant, generation.getAsInt(), asked + LEASE_NANOS));
        }
    }

    private void hold(Holding holding) {
        long end = System.nanoTime() + holdingNanos();
        while (!stopping && holding.isTrusted() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(RENEWAL_NANOS);
            renew(holding);
        }
        boolean certain = holding.isTrusted();
        checker.leave(holding);
        release(holding, certain);
    }

    private long holdingNanos() {
        if (holdsLong) {
            return LEASE_NANOS + random.nextLong(LEASE_NANOS);
        }
        return random.nextInt(4) == 0 ? TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_500)) : 0;
    }

    private void renew(Holding holding) {
        long asked = System.nanoTime();
        try {
            if (calls.renew(holding.grant, LEASE_SECONDS)) {
                holding.trustedUntil = asked + LEASE_NANOS;
                checker.confirmed(holding, generation.getAsInt());
            } else {
                checker.denied(holding, "renewal");
                holding.trustedUntil = System.nanoTime();
            }
        } catch (IOException | AssertionError e) {
            reconnect();
        }
    }

    /**
     * @param certain whether the first answer must be that the grant was held
     */
    private void release(Holding holding, boolean certain) {
        for (boolean first = true; ; first = false) {
            try {
                if (calls.release(holding.grant)) {
                    checker.confirmed(holding, generation.getAsInt());
                } else if (first && certain) {
                    checker.denied(holding, "release");
                }
                return;
            } catch (IOException | AssertionError e) {
                reconnect();
            }
        }
    }

    private void reconnect() {
        while (true) {
            try {
                calls.reconnect();
                return;
            } catch (IOException | AssertionError e) {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }
}
