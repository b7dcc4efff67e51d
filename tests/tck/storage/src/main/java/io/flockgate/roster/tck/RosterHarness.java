package io.flockgate.roster.tck;

import io.flockgate.roster.RosterStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Opens and crashes a storage for rosters, and moves its clock, for one case of the contract. */
public abstract class RosterHarness implements AutoCloseable {
    private volatile Instant now = Instant.parse("2026-03-01T12:00:00.123456789Z");

    /**
     * Opens a storage on an empty store, with a clock that stands still. The contract closes the
     * storage.
     */
    public abstract RosterStorage open();

    /** The node name of the storages. */
    public String gateway() {
        return "node-1";
    }

    /** The time that the clock shows. */
    public Instant now() {
        return now;
    }

    /** Moves the clock forward, and does nothing else. */
    public synchronized void pass(Duration time) {
        now = now.plus(time);
    }

    /**
     * Another gateway on the same store, which the contract closes. Empty if the store serves only
     * one process.
     */
    public Optional<RosterStorage> peer() {
        return Optional.empty();
    }

    /**
     * Ends the storage as a crash would, without {@link RosterStorage#close}, and opens the store
     * again. Empty for a volatile storage.
     */
    public abstract Optional<RosterStorage> reopen(RosterStorage crashed);

    /**
     * Frees the harness's own resources. All storages are closed by then, except those that have
     * crashed.
     */
    @Override
    public void close() {}
}
