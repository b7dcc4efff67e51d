package io.flockgate.client;

/** The grant of one term as the leader, which the leader may end itself. Safe from any thread. */
public interface Leadership extends LeaseGrant {
    /**
     * Ends this term and returns at once: {@link LeaderListener#resigned} is called, the slot is
     * released, and after about two seconds, which let others come first, this candidate campaigns
     * again. The thread in {@link LeaderListener#elected} is interrupted, unless it is the caller.
     * Does nothing after the term.
     */
    void stepDown();
}
