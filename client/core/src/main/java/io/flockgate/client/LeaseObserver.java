package io.flockgate.client;

import java.time.Duration;

/**
 * Is notified of what happens to the leases of a provider, for metrics and logs. {@link
 * LeaseEnvironment#observer(LeaseObserver)} registers it.
 *
 * <p>Methods are called on the client's threads, including those of timers and connections, so they
 * must not block. An exception is logged and has no other effect. The order of calls for different
 * grants is not defined.
 */
public interface LeaseObserver {
    /** Ignores everything. */
    LeaseObserver NONE = new LeaseObserver() {};

    /**
     * An attempt to become the holder has ended. Calls that joined the attempt are not counted.
     *
     * @param name the name that was claimed
     * @param time the time from the call to its result, including the wait
     */
    default void acquired(String name, AcquireOutcome outcome, Duration time) {}

    /**
     * A request for renewal has ended. This includes the one that confirms a grant after a wait.
     *
     * @param name the name that is held
     * @param time the time from sending the request to its answer
     */
    default void renewed(String name, RenewOutcome outcome, Duration time) {}

    /** A grant begins. For each grant, {@link #ended} follows exactly once. */
    default void began(String name, LeaseGrant grant) {}

    /** A grant has ended: it was released or lost. */
    default void ended(String name, LeaseGrant grant) {}

    /**
     * A grant was lost. Follows {@link #ended}, even if the lease is closed and no handler is
     * notified.
     */
    default void lost(LostEvent event) {}

    /** A handler of {@link Lease#onLost} threw. */
    default void handlerFailed(String name, Throwable failure) {}

    /** The ways in which an attempt ends. */
    enum AcquireOutcome {
        /** The slot is ours. */
        GRANTED,
        /** Other clients hold it, or a release ended the attempt. */
        EMPTY,
        /** The result is unknown. */
        UNKNOWN,
        /** The server refuses the client or its options, or the lease was closed. */
        REFUSED
    }

    /** The ways in which a request for renewal ends. */
    enum RenewOutcome {
        /** Held for another ttl. */
        RENEWED,
        /** The server answers that the grant is no longer held. */
        NOT_HELD,
        /** No answer, or none that is usable. */
        UNKNOWN
    }
}
