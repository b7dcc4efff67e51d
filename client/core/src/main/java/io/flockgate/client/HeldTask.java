package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/**
 * Work with a result that may only be done while a slot is held. {@link HeldAction} is for work
 * without one.
 *
 * @param <T> the type of its result
 */
@FunctionalInterface
public interface HeldTask<T extends @Nullable Object> {
    /**
     * Does the work. When the grant is lost, the thread is interrupted: the task must then end
     * soon, because another process may hold the slot.
     *
     * @param grant the grant that the work depends on. Give its fence to the resource
     */
    T run(Grant grant) throws Exception;
}
