package io.flockgate.storage.consul.api;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a read of one session.
 *
 * @param node the node that the session belongs to; null when there is no such session
 * @param index the index for the next read
 */
public record SessionRead(@Nullable String node, long index) {
    public boolean exists() {
        return node != null;
    }
}
