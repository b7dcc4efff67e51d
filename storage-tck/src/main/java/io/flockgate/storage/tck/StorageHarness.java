package io.flockgate.storage.tck;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.Optional;

/**
 * What the contract must be able to do with a storage besides calling it: open it, let time pass, and look at the store
 * by another way than the one under test. One harness serves one test and is then closed. Safe from several threads.
 */
public interface StorageHarness extends AutoCloseable {
    /** Opens an empty storage that shares nothing with those opened before. The contract closes it. */
    LockStorage open(Limits limits);

    /**
     * Another gateway on the same store, open and with the same settings: closed by the contract. None for a storage
     * that lives in one process.
     */
    default Optional<LockStorage> peer(LockStorage storage) {
        return Optional.empty();
    }

    /**
     * Lets time pass for the storages opened here. A fake clock jumps, and returns when all that has come due is done; a
     * real store waits.
     */
    void pass(Duration time);

    /**
     * Lets time pass without the storage's timers and sweeps taking notice, as if they were late. Where this cannot be
     * had it is the same as {@link #pass}.
     */
    default void passUnnoticed(Duration time) {
        pass(time);
    }

    /**
     * The shortest time that counts, under 500 ms: 1 ns with a fake clock; with a real one, longer than the few calls
     * take that a case makes between two looks.
     */
    default Duration grain() {
        return Duration.ofMillis(450);
    }

    /** As long a time as can be let pass in a test, at least 3 s and less than 280 years. */
    default Duration longTime() {
        return Duration.ofSeconds(3);
    }

    /** How many holders the key has, found without the SPI; 0 when it does not exist. */
    long holdersBeside(LockStorage storage, Key key);

    /** How many claims are queued for the key, found without the SPI; 0 when it does not exist. */
    long waitersBeside(LockStorage storage, Key key);

    /** How many claims are many: what takes a few seconds at most. */
    default int many() {
        return 2_000;
    }

    /** Frees what the harness itself has made. All storages are closed by then. */
    @Override
    default void close() {}
}
