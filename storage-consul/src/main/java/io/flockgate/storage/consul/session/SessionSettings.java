package io.flockgate.storage.consul.session;

import java.time.Duration;

/**
 * The settings of this gateway's sessions.
 *
 * @param node the gateway's name, shown to operators
 * @param ttl the minimum time for which a session lasts after a renewal
 */
public record SessionSettings(String node, Duration ttl) {}
