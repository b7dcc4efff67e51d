package io.flockgate.storage.memory.fence;

import io.flockgate.storage.rules.TokenGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * The token generator of the memory storage: fences from one counter for all keys, salts from a
 * cryptographic source. Thread safe; neither half ever blocks on a disk.
 */
public final class MemoryTokenGenerator implements TokenGenerator, AutoCloseable {
    private final FenceCounter fences;
    private final Salts salts;

    MemoryTokenGenerator(FenceCounter fences, Salts salts) {
        this.fences = fences;
        this.salts = salts;
    }

    /**
     * A token generator whose fences begin above the wall clock. They rise across restarts unless
     * the clock is set back.
     *
     * @param clockNanos the wall clock, in nanoseconds since 1970; a negative one counts as 0
     */
    public static MemoryTokenGenerator inMemory(long clockNanos) {
        return new MemoryTokenGenerator(FenceCounter.inMemory(Math.max(0, clockNanos)), new Salts(new SecureRandom()));
    }

    /**
     * A token generator whose fences rise across restarts whatever the clock does. Blocks on the
     * disk; for start-up only.
     *
     * @param stateFile created with mode 0600 if missing, and its directory with it; locked until
     *     {@link #close}
     * @param clockNanos the wall clock, in nanoseconds since 1970; a negative one counts as 0
     * @param threads makes the daemon threads for work that would block a caller
     * @throws IOException when the file is in use, malformed or not writable, the platform has no
     *     flock, or the 64 bits are exhausted; its message is for an operator
     */
    public static MemoryTokenGenerator open(Path stateFile, long clockNanos, ThreadFactory threads) throws IOException {
        return new MemoryTokenGenerator(
                FenceCounter.durable(Math.max(0, clockNanos), extender(file(stateFile), threads)),
                new Salts(new SecureRandom()));
    }

    /** The ceiling that a fence state file keeps; the file is locked until the store is closed. */
    public static CeilingStore file(Path stateFile) throws IOException {
        return FenceStateFile.open(stateFile);
    }

    /**
     * As {@link #open}, with another store for the ceiling. While the store cannot raise it, issues
     * no fence, and retries.
     *
     * @param store closed with the token generator
     */
    public static MemoryTokenGenerator over(CeilingStore store, long clockNanos, ThreadFactory threads) {
        return new MemoryTokenGenerator(
                FenceCounter.retrying(Math.max(0, clockNanos), extender(store, threads)),
                new Salts(new SecureRandom()));
    }

    private static RangeExtender extender(CeilingStore store, ThreadFactory threads) {
        return new RangeExtender(store, Scheduler.of(threads), RangeExtender.PAUSES, ExtensionLog.slf4j());
    }

    /**
     * The next fence, or 0 while the ceiling cannot be raised, after the last 64-bit fence, and
     * once closed.
     */
    @Override
    public long nextFence() {
        return fences.nextFence();
    }

    /**
     * @throws InternalError when the random source fails
     */
    @Override
    public long nextSalt() {
        return salts.next();
    }

    /** The reason why no fence can be issued now, for a readiness check; empty when one can. */
    public Optional<String> failureReason() {
        return fences.failureReason();
    }

    /**
     * Stops issuing fences, waits for a write in progress, and closes the state file. Idempotent.
     */
    @Override
    public void close() throws IOException {
        fences.close();
    }
}
