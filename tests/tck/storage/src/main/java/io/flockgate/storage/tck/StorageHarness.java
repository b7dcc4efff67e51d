package io.flockgate.storage.tck;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a storage under test: opens it, lets time pass, and inspects the store without
 * the SPI. One harness serves one test and is then closed. Safe from several threads.
 */
public interface StorageHarness extends AutoCloseable {
    /**
     * Opens an empty storage that shares nothing with those opened before. The contract closes it.
     */
    LockStorage open(Limits limits);

    /**
     * Another gateway on the same store, open and with the same settings. The contract closes it.
     * None for a storage of one process.
     */
    default Optional<LockStorage> peer(LockStorage storage) {
        return Optional.empty();
    }

    /**
     * The storage of the next process, on what remains if the process of this one is killed now.
     * The contract closes both. None for a storage that keeps no clients.
     */
    default Optional<LockStorage> successor(LockStorage killed) {
        return Optional.empty();
    }

    /** The memo of the claimants of most cases. */
    default byte @Nullable [] memo(long id) {
        return null;
    }

    /**
     * Lets time pass for the storages opened here. With a fake clock, returns when all due work is
     * done. With a real store, waits.
     */
    void pass(Duration time);

    /**
     * Lets time pass without the storage's timers and sweeps, as if they were late. The same as
     * {@link #pass} if that is impossible.
     */
    default void passUnnoticed(Duration time) {
        pass(time);
    }

    /**
     * The shortest time that a case can distinguish from none, under 2 s. With a fake clock, it is
     * 1 ns; with a real clock, it is longer than the few calls that a case makes between two checks
     * on a busy machine.
     */
    default Duration grain() {
        return Duration.ofMillis(1_500);
    }

    /** The longest time that may pass in a test, at least 3 s and less than 280 years. */
    default Duration longTime() {
        return Duration.ofSeconds(3);
    }

    /** The number of holders of the key, found without the SPI; 0 when it does not exist. */
    long holdersBeside(LockStorage storage, Key key);

    /** The number of queued claims of the key, found without the SPI; 0 when it does not exist. */
    long waitersBeside(LockStorage storage, Key key);

    /** A large number of claims that takes at most a few seconds. */
    default int many() {
        return 2_000;
    }

    /** Frees the harness's own resources. All storages are closed by then. */
    @Override
    default void close() {}
}
