package io.flockgate.client;

import java.util.concurrent.CompletableFuture;

/** The states of {@link ManagedLease}. */
sealed interface LeaseState {
    Idle IDLE = new Idle();

    record Idle() implements LeaseState {}

    /**
     * An attempt is under way.
     *
     * @param abandoned whether a grant that this attempt still gets will be released
     */
    record Acquiring(Attempt attempt, boolean abandoned) implements LeaseState {}

    /** A state with a grant, which may have expired. */
    sealed interface Holding extends LeaseState {
        ManagedGrant grant();
    }

    record Held(ManagedGrant grant) implements Holding {}

    /**
     * The lease is closing, and the work under its grant keeps the slot.
     *
     * @param done completes when the grant has ended
     */
    record ShutDown(ManagedGrant grant, CompletableFuture<Void> done) implements Holding {}

    record Releasing(CompletableFuture<Void> done) implements LeaseState {}

    record Closed(CompletableFuture<Void> done) implements LeaseState {}

    /**
     * The state after the end of the lease.
     *
     * @param done completes when nothing is held; unused if an earlier end has its own future
     * @param keeps whether the slot stays with the work under a grant until that work releases it
     */
    static LeaseState ended(LeaseState now, CompletableFuture<Void> done, boolean keeps) {
        if (now instanceof ShutDown shutDown) {
            return keeps ? shutDown : new Closed(shutDown.done());
        } else if (keeps && now instanceof Held held) {
            return new ShutDown(held.grant(), done);
        }
        return now instanceof Closed ? now : new Closed(done);
    }
}
