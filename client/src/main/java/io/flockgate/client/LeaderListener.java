package io.flockgate.client;

/**
 * What a candidate of a {@link LeaderElection} does as its leader. Calls come one after the other,
 * on the callback executor: {@link #elected}, then {@link #resigned}, for each time as the leader.
 */
@FunctionalInterface
public interface LeaderListener {
    /**
     * This candidate is the leader now. Begin the work, and return; or do the work here. When the
     * leadership ends meanwhile, the thread is interrupted: the work must then end soon, because
     * another candidate may be the leader. What this throws is logged, and ends this time as the
     * leader: the slot is given back, and the next campaign begins after a pause.
     *
     * @param grant the grant that the work depends on. Give its fence to the resource
     */
    void elected(Grant grant) throws Exception;

    /**
     * This candidate is not the leader any more: it has lost the slot, or the election or its
     * provider is closing. The slot is given back when this has returned, so end the work here and
     * wait for its end. What this throws is logged.
     */
    default void resigned() throws Exception {}
}
