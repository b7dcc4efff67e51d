package io.flockgate.storage.memory.fence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of random 64-bit numbers, filled 4,096 bytes at a time. Thread safe; taking a number is a
 * fetch-and-add, as contended as the adjacent fence counter.
 *
 * <p>The first pools come from {@link SecureRandom}. When the first pool is spent, a background
 * thread sets up an {@link AesCtrStream}, which fills the later pools. Its set-up takes tens of
 * milliseconds, too long for start-up or an event loop.
 */
final class SaltSource {
    static final int POOL_BYTES = 4096;

    /** Smaller, because code that is not compiled yet fills this pool at start-up. */
    static final int FIRST_POOL_BYTES = 512;

    private static final Logger LOG = LoggerFactory.getLogger(SaltSource.class);

    /** Fills arrays with random bytes. Called by one thread at a time. */
    interface RandomBytes {
        void fill(byte[] target) throws GeneralSecurityException;
    }

    private final Callable<RandomBytes> faster;
    private final Executor background;

    @GuardedBy("this")
    private RandomBytes random;

    @GuardedBy("this")
    private boolean upgradeBegun;

    private volatile Pool pool;

    /**
     * @param random fills the first pools
     * @param faster sets up the source that fills the later pools; called once
     * @param background runs {@code faster}
     */
    SaltSource(RandomBytes random, Callable<RandomBytes> faster, Executor background) {
        this.faster = faster;
        this.background = background;
        this.random = random;
        this.pool = fill(random, FIRST_POOL_BYTES);
    }

    /**
     * Salts from the platform's cryptographic source. The thread lives only for the set-up of the
     * faster one.
     */
    static SaltSource secure(ThreadFactory threads) {
        SecureRandom random = new SecureRandom();
        return new SaltSource(
                random::nextBytes,
                () -> new AesCtrStream(random),
                task -> threads.newThread(task).start());
    }

    /** 64 random bits that this source has not returned before. */
    long next() {
        while (true) {
            Pool current = pool;
            int at = current.taken.getAndIncrement();
            if (at < current.salts.length) {
                return current.salts[at];
            }
            refill(current);
        }
    }

    private synchronized void refill(Pool spent) {
        spent.taken.set(spent.salts.length); // no overflow, however long the random source fails
        if (pool.equals(spent)) {
            pool = fill(random, POOL_BYTES);
            if (!upgradeBegun) {
                upgradeBegun = true;
                background.execute(this::upgrade);
            }
        }
    }

    private void upgrade() {
        try {
            RandomBytes ready = faster.call();
            synchronized (this) {
                random = ready;
            }
        } catch (Exception | LinkageError e) { // the latter if a class cannot be loaded
            LOG.debug("salts stay with the slower random source", e);
        }
    }

    private static Pool fill(RandomBytes random, int size) {
        byte[] bytes = new byte[size];
        try {
            random.fill(bytes);
        } catch (GeneralSecurityException | RuntimeException e) {
            throw new RandomSourceError(e);
        }
        long[] salts = new long[size / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(salts);
        return new Pool(salts);
    }

    private static final class Pool {
        final long[] salts;
        final AtomicInteger taken = new AtomicInteger();

        Pool(long[] salts) {
            this.salts = salts;
        }
    }
}
