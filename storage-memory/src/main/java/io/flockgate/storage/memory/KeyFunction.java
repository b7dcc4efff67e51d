package io.flockgate.storage.memory;

import io.flockgate.storage.rules.KeyState;
import org.jspecify.annotations.Nullable;

/** A function of a key and the present time, which runs under the monitor of the key's shard. */
interface KeyFunction<T> {
    @Nullable
    T of(KeyState key, long now);
}
