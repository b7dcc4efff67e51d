package io.flockgate.roster.tck;

import io.flockgate.roster.RosterStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Opens and crashes a storage for rosters, and moves its clock, for one case of the contract. */
public interface RosterHarness extends AutoCloseable {
    /** Opens a storage on an empty store, with a clock that stands still. The contract closes the storage. */
    RosterStorage open();

    /** The node name of the storages. */
    String gateway();

    /** The time that the clock shows. */
    Instant now();

    /** Puts the clock forward, and nothing else. */
    void pass(Duration time);

    /** Another gateway on the same store, which the contract closes. Empty if the store serves one process only. */
    default Optional<RosterStorage> peer() {
        return Optional.empty();
    }

    /**
     * Ends the storage as a crash would, without {@link RosterStorage#close}, and opens the store again. Empty for a volatile
     * storage.
     */
    Optional<RosterStorage> reopen(RosterStorage crashed);

    /** Frees the harness's own resources. All storages are closed by then, except those that have crashed. */
    @Override
    default void close() {}
}
