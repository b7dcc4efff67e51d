package io.flockgate.storage;

/**
 * Who made a claim, and the way to tell it. Called on any thread, holding no lock of the storage; implementations must
 * not block and must not throw. They hand over to a thread of their own what takes longer than noting a fact.
 */
public interface Claimant {
    /** The number shown for this claimant in inspections: a connection's or session's. */
    long id();

    /**
     * A queued claim has reached a slot. Told once at most, and never before the claim's future has completed with
     * {@link ClaimOutcome.Queued}. The lease is running already. A claimant that has gone by then must release the grant.
     */
    void granted(Ticket ticket, Grant grant);

    /**
     * A grant of this claimant has ended. Told once for every grant, before the future completes of the call that ended
     * it. A grant that ends right after it was made may be told as ended before it is told as granted.
     */
    void ended(Grant grant, Ending ending);
}
