package io.flockgate.storage.consul.session;

import java.time.Duration;

/**
 * The settings of this gateway's sessions.
 *
 * @param node the gateway's name, for operators
 * @param ttl how long a session lasts at least after a renewal
 * @param checkTtl how long the agent's check lasts without a heartbeat; zero for sessions without a check
 */
public record SessionSettings(String node, Duration ttl, Duration checkTtl) {
    boolean bound() {
        return !checkTtl.isZero();
    }
}
