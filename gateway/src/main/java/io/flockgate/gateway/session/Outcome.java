package io.flockgate.gateway.session;

import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of one request. */
public sealed interface Outcome {
    /** The grant that the client has received; null for none. */
    default @Nullable Grant grant() {
        return null;
    }

    /** Whether a client that never receives this outcome would keep a slot or a place. */
    default boolean leavesSomething() {
        return grant() != null;
    }

    /** The client holds a slot and has been waiting for it. The lease runs from now. */
    record Granted(Grant grant, long leaseSeconds) implements Outcome {}

    /** An enqueue found a free slot. The lease runs from now, and restarts with the wait. */
    record Acquired(Grant grant, long leaseSeconds) implements Outcome {}

    /** The lease has been restarted. */
    record Renewed(long leaseSeconds) implements Outcome {}

    /** The storage could not carry the request out. */
    record Failed(StorageException cause) implements Outcome {}

    /** The outcomes without further values. */
    enum Plain implements Outcome {
        /** An enqueue took a place in the queue. */
        QUEUED,
        /** The wait ended without a grant; the place in the queue is given up. */
        TIMEOUT,
        RELEASED,
        NOT_HELD,
        /** The slot was granted, but its lease ended before the client could be notified. */
        LEASE_EXPIRED,
        NOT_ENQUEUED,
        ALREADY_ENQUEUED,
        MAX_LOCKS,
        MAX_HOLDERS,
        /** The client holds the maximum number of semaphore slots. */
        MAX_HOLDERS_PER_CLIENT,
        MAX_WAITERS,
        /** All clients together have enqueued the maximum number of claims. */
        MAX_ENQUEUED,
        /** The client, by its token or address, has enqueued the maximum number of claims. */
        MAX_ENQUEUED_PER_CLIENT,
        /** The key exists with another limit, or as the other kind. */
        LIMIT_MISMATCH,
        /** An operator is draining the gateway, which accepts no new claims. */
        DRAINING,
        /** The gateway cancelled the request, which keeps neither a slot nor a place. */
        CANCELLED,
        /** Too many requests wait for the answers to earlier ones. Nothing has changed. */
        OVERLOADED;

        /** The reasons for which a session refuses a claim without calling the storage. */
        public static final List<Plain> OF_SESSION =
                List.of(DRAINING, MAX_HOLDERS_PER_CLIENT, MAX_ENQUEUED, MAX_ENQUEUED_PER_CLIENT);

        @Override
        public boolean leavesSomething() {
            return this == QUEUED;
        }

        static Plain of(ReleaseOutcome outcome) {
            return switch (outcome) {
                case RELEASED -> RELEASED;
                case NOT_HELD -> NOT_HELD;
            };
        }

        static Plain of(Refusal refusal) {
            return switch (refusal) {
                case BUSY -> TIMEOUT;
                case MAX_LOCKS -> MAX_LOCKS;
                case MAX_HOLDERS -> MAX_HOLDERS;
                case MAX_WAITERS -> MAX_WAITERS;
                case LIMIT_MISMATCH, KIND_MISMATCH -> LIMIT_MISMATCH;
            };
        }
    }
}
