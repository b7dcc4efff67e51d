package io.flockgate.storage.memory.fence;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of random 64-bit numbers, filled 4,096 bytes at a time. Thread safe; taking one is a fetch-and-add, as contended
 * as the fence counter beside it.
 *
 * <p>The first pools come from {@link SecureRandom}. When the first is spent, an AES-CTR stream keyed from it is set up
 * in the background and takes over: it fills a pool in a hundredth of the time, but loading its classes costs tens of
 * milliseconds, which neither start-up nor an event loop shall pay.
 */
final class Salts {
    static final int POOL_BYTES = 4096;

    /** Less, as cold code fills it at start-up. */
    static final int FIRST_POOL_BYTES = 512;

    private static final Logger LOG = LoggerFactory.getLogger(Salts.class);

    /** Fills arrays with random bytes; called by one thread at a time. */
    interface Source {
        void fill(byte[] target) throws GeneralSecurityException;
    }

    /** Makes the faster source; called once, in the background. */
    interface SourceFactory {
        Source create() throws GeneralSecurityException;
    }

    private final SourceFactory faster;
    private final Executor background;
    private Source source;
    private boolean upgradeAsked;
    private volatile Pool pool;

    Salts(Source source, SourceFactory faster, Executor background) {
        this.source = source;
        this.faster = faster;
        this.background = background;
        this.pool = fill(source, FIRST_POOL_BYTES);
    }

    /** Salts from the platform's cryptographic source. */
    static Salts secure() {
        SecureRandom random = new SecureRandom();
        return new Salts(
                random::nextBytes,
                () -> new AesCtrSource(random),
                task -> Thread.ofPlatform().daemon().name("flockgate-salts").start(task));
    }

    /** 64 random bits, never handed out before by this pool's source. */
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
        spent.taken.set(spent.salts.length); // does not run over, however long the source fails
        if (pool.equals(spent)) {
            pool = fill(source, POOL_BYTES);
            askForUpgrade();
        }
    }

    private void askForUpgrade() {
        if (!upgradeAsked) {
            upgradeAsked = true;
            background.execute(this::upgrade);
        }
    }

    private void upgrade() {
        try {
            Source ready = faster.create();
            synchronized (this) {
                source = ready;
            }
        } catch (GeneralSecurityException | RuntimeException e) {
            LOG.debug("salts stay with the slower random source", e);
        }
    }

    private static Pool fill(Source source, int size) {
        byte[] bytes = new byte[size];
        try {
            source.fill(bytes);
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
