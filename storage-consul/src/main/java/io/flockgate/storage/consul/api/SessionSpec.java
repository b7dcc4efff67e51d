package io.flockgate.storage.consul.api;

import java.time.Duration;

/**
 * The specification of a new session, which has no check and no lock delay. When it ends, its keys
 * stay with their values.
 */
public record SessionSpec(String name, Duration ttl) {}
