package io.flockgate.storage.consul.api;

import java.time.Duration;

/**
 * The specification of a new session. It has no check and no lock delay. Its end leaves its keys,
 * with their values.
 */
public record SessionSpec(String name, Duration ttl) {}
