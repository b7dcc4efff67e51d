package io.flockgate.client;

/**
 * Work without a result that may only be done while a slot is held. {@link HeldTask} is for work
 * with one.
 */
@FunctionalInterface
public interface HeldAction {
    /**
     * Does the work. When the grant is lost, the thread is interrupted: the action must then end
     * soon, because another process may hold the slot.
     *
     * @param grant the grant that the work depends on. Give its fence to the resource
     */
    void run(Grant grant) throws Exception;
}
