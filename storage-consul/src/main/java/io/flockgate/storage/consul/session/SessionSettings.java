package io.flockgate.storage.consul.session;

import java.time.Duration;

/**
 * The settings of this gateway's sessions.
 *
 * @param node the gateway's name, shown to operators
 * @param ttl the minimum time for which a session lasts after a renewal
 * @param checkTtl the time for which the agent's check lasts without a heartbeat; zero for sessions without a check
 */
public record SessionSettings(String node, Duration ttl, Duration checkTtl) {
    boolean hasCheck() {
        return !checkTtl.isZero();
    }
}
