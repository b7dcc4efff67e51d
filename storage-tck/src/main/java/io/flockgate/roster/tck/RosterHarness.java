package io.flockgate.roster.tck;

import io.flockgate.roster.RosterStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What the contract must be able to do with a storage for rosters besides calling it. One harness serves one test and is then
 * closed.
 */
public interface RosterHarness extends AutoCloseable {
    /** Opens a storage on an empty store, with a clock that stands still. The contract closes it. */
    RosterStorage open();

    /** The node name that the storages are given. */
    String gateway();

    /** What the clock shows. */
    Instant now();

    /** Puts the clock forward, and nothing else. */
    void pass(Duration time);

    /** Another gateway on the same store, closed by the contract. None for a store that serves one process. */
    default Optional<RosterStorage> peer() {
        return Optional.empty();
    }

    /**
     * Ends the storage as a crash would, without {@link RosterStorage#close}, and opens what is left of it. Empty for a
     * volatile storage.
     */
    Optional<RosterStorage> reopen(RosterStorage crashed);

    /** Frees what the harness itself has made. All storages are closed by then, but those that have crashed. */
    @Override
    default void close() {}
}
