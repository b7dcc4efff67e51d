package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;

/** The type of a key, as its {@code .lock} shows it. */
public sealed interface KeyType {
    /** A lock or a semaphore, for gateways and for Consul's own tools. */
    record Known(Kind kind, long limit) implements KeyType {}

    /** Any other content, which gateways do not change. */
    record Foreign() implements KeyType {}
}
