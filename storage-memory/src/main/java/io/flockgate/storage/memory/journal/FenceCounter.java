package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.rules.TokenGenerator;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The counter of all fences: unsigned 64 bits, rising by one, never above its ceiling. Thread safe;
 * issuing a fence takes no lock and does no I/O.
 *
 * <p>Invariant: {@code issued <= ceiling}, and both only rise. A ceiling is set here only once it
 * is durable, so the durable ceiling is at or above every fence ever issued.
 */
public final class FenceCounter implements TokenGenerator {
    /** The step by which the ceiling rises. */
    static final long RANGE = 1L << 20;

    /** The number of remaining fences at which the next ceiling is requested. */
    private static final long LOW = RANGE / 2;

    private static final String EXHAUSTED = "64 bits have no room for another range of fences";

    /** One for the process, because it keeps a file open. */
    private static final Salts SALTS = Salts.ofSystem();

    private final AtomicLong issued;
    private final AtomicLong requested;
    private final LongConsumer request;
    private volatile long ceiling;

    @GuardedBy("this")
    private boolean closed;

    private FenceCounter(long seed, long ceiling, LongConsumer request) {
        this.issued = new AtomicLong(seed);
        this.requested = new AtomicLong(ceiling);
        this.ceiling = ceiling;
        this.request = request;
    }

    /**
     * A counter from the wall clock to the end of 64 bits, without a ceiling on disk.
     *
     * @param clockNanos nanoseconds since 1970; a negative number counts as 0
     */
    public static FenceCounter inMemory(long clockNanos) {
        return new FenceCounter(Math.max(0, clockNanos), -1L, next -> {});
    }

    /**
     * A counter that issues nothing before {@link #begin} and {@link #raiseTo}.
     *
     * @param request makes a ceiling durable and then calls {@link #raiseTo}. Must not block
     */
    static FenceCounter durable(LongConsumer request) {
        return new FenceCounter(0, 0, request);
    }

    /**
     * Continues from the greater of the wall clock and the ceiling of the previous process.
     *
     * @return the first ceiling to make durable
     * @throws IOException if 64 bits have no room for it
     */
    long begin(long clockNanos, long recovered) throws IOException {
        long seed = Long.compareUnsigned(clockNanos, recovered) > 0 ? clockNanos : recovered;
        long next = seed + RANGE;
        if (Long.compareUnsigned(next, seed) < 0) {
            throw new IOException(EXHAUSTED);
        }
        issued.set(seed);
        requested.set(next);
        raiseTo(seed);
        return next;
    }

    /** The next fence, or 0 when there is currently none up to the ceiling. */
    @Override
    public long nextFence() {
        while (true) {
            // Read in this order: the ceiling is at or above every number issued before it is read.
            long last = issued.get();
            long left = ceiling - last;
            if (Long.compareUnsigned(left, LOW) <= 0) {
                requestNext();
            }
            if (left == 0) {
                return 0;
            }
            if (issued.compareAndSet(last, last + 1)) {
                return last + 1;
            }
        }
    }

    private void requestNext() {
        long present = ceiling;
        long next = present + RANGE;
        if (Long.compareUnsigned(next, present) > 0 && requested.get() != next && requested.getAndSet(next) != next) {
            request.accept(next);
        }
    }

    /**
     * @throws InternalError when the random source fails
     */
    @Override
    public long nextSalt() {
        return SALTS.next();
    }

    /** Raises the ceiling to {@code durable}, unless closed. */
    synchronized void raiseTo(long durable) {
        if (!closed) {
            ceiling = durable;
        }
    }

    /** The reason why no fence can be issued now; empty when one can. */
    synchronized Optional<String> failureReason() {
        if (ceiling != issued.get()) {
            return Optional.empty();
        }
        if (closed) {
            return Optional.of("the fence counter is closed");
        }
        return Optional.of(
                Long.compareUnsigned(ceiling + RANGE, ceiling) < 0
                        ? EXHAUSTED
                        : "the next range of fences is being made durable");
    }

    /**
     * Makes every later call of {@link #nextFence} return 0, because another process may continue
     * from the ceiling. Idempotent.
     */
    synchronized void close() {
        closed = true;
        issued.set(ceiling);
    }

    /**
     * Random 64-bit numbers, read 4 KiB at a time. Thread safe; one call in 512 waits about 13 µs
     * for the kernel.
     *
     * <p>The kernel's generator is read directly, because {@code SecureRandom} hashes what it read
     * there once more and so costs three to six times as much: 8 % of a pipelined grant.
     */
    static final class Salts {
        private final DataInputStream random;

        @GuardedBy("this")
        private final ByteBuffer buffer = ByteBuffer.allocate(4096).flip();

        Salts(InputStream random) {
            this.random = new DataInputStream(random);
        }

        /** The random bytes of the operating system. */
        static Salts ofSystem() {
            try {
                return new Salts(new FileInputStream("/dev/urandom"));
            } catch (IOException e) {
                throw noRandomBytes(e);
            }
        }

        /**
         * 64 random bits that this source has not returned before.
         *
         * @throws InternalError when the random source fails: fatal, because without it tokens
         *     could be guessed
         */
        synchronized long next() {
            if (!buffer.hasRemaining()) {
                try {
                    random.readFully(buffer.array());
                } catch (IOException e) {
                    throw noRandomBytes(e);
                }
                buffer.clear();
            }
            return buffer.getLong();
        }

        private static InternalError noRandomBytes(IOException cause) {
            return new InternalError("the source of random bytes failed", cause);
        }
    }
}
