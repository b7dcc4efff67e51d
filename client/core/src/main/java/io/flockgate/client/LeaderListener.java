package io.flockgate.client;

/**
 * The work of a candidate of a {@link LeaderElection} as the leader. Calls are made one after the
 * other on the callback executor: {@link #elected}, then {@link #resigned}, for each term.
 */
@FunctionalInterface
public interface LeaderListener {
    /**
     * This candidate is the leader now. Start the work and return, or do the work here. If the
     * leadership ends meanwhile, the thread is interrupted: the work must then end soon, because
     * another candidate may be the leader. An exception is logged and ends this term: the slot is
     * released, and the next campaign begins after a pause.
     *
     * @param term the grant that the work depends on. Give its fence to the resource
     */
    void elected(Leadership term) throws Exception;

    /**
     * This candidate is no longer the leader: it has lost the slot, or the election or its provider
     * is closing. The slot is released when this method has returned, so end the work here and wait
     * for its end. An exception is logged.
     */
    default void resigned() throws Exception {}
}
