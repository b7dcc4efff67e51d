package io.flockgate.cluster.campaign;

import java.util.Set;

/**
 * Something that was wrong, from just before it was caused until it had certainly ended.
 *
 * @param gateways those that it affected, or cut off from Consul
 */
record Disturbance(Kind kind, Set<Integer> gateways, long from, long to) {
    enum Kind {
        GATEWAY_KILLED,
        GATEWAY_PAUSED,
        SERVER_KILLED,
        SERVER_PAUSED,
        LEADER_KILLED,
        LEADER_PAUSED,
        QUORUM_LOST,
        CONNECTION_CUT,
        /** The client agent of two gateways left its cluster on SIGTERM. */
        AGENT_TERMINATED,
        /** It left on {@code consul leave}. */
        AGENT_LEFT,
        /** It left while one or both of its gateways could not reach it. */
        AGENT_LEFT_UNHEARD,
        /** The port of a gateway's agent refused connections. */
        REFUSED,
        /** The path to a gateway's agent was slow. It excuses nothing. */
        LATENCY,
        /** All entries of Flockgate were deleted. */
        EMPTIED,
        /** Measured: Consul did not accept a write through this gateway's server. */
        NO_WRITES,
        /** Measured: this machine stood still. */
        STALL
    }

    boolean affects(int gateway) {
        return gateways.contains(gateway);
    }

    boolean overlaps(long start, long end) {
        return from <= end && start <= to;
    }

    /** True if no key may stay free because of it. */
    boolean excusesNoGap() {
        return kind == Kind.CONNECTION_CUT || kind == Kind.LATENCY;
    }

    /** True if Consul ends the sessions of its gateways at once. */
    boolean endsSessions() {
        return kind == Kind.AGENT_TERMINATED || kind == Kind.AGENT_LEFT || kind == Kind.AGENT_LEFT_UNHEARD;
    }

    /**
     * True if Consul may elect a leader because of it. A new leader restarts the time of each
     * session.
     */
    boolean mayElect() {
        return kind == Kind.LEADER_KILLED || kind == Kind.LEADER_PAUSED || kind == Kind.QUORUM_LOST;
    }

    /** True if grants may end because of it without a report from their gateway. */
    boolean endsGrants() {
        return kind == Kind.GATEWAY_KILLED || kind == Kind.GATEWAY_PAUSED || kind == Kind.EMPTIED;
    }
}
