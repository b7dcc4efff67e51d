package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;

/** What stands at a key's place. */
public sealed interface KeyType {
    /** A key that gateways and Consul's own tools can take part in. */
    record Known(Kind kind, long limit) implements KeyType {}

    /** Something else, which is left alone. */
    record Foreign(String reason) implements KeyType {}
}
