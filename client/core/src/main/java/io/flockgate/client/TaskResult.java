package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a task that may only run while a slot is held.
 *
 * @param ran false if other clients held all slots until the wait ended
 * @param value what the task returned, which may be null; null if it did not run
 * @param <T> the type of the value
 */
public record TaskResult<T extends @Nullable Object>(
        boolean ran, @Nullable T value) {}
