package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.layout.KeyView;
import org.jspecify.annotations.Nullable;

/** A waiter of this gateway. Its place in Consul has a name, which changes if the place is lost and taken anew. */
final class LocalWaiter implements Ticket {
    private final Claim claim;
    private final Claimant claimant;
    private final long queuedAtNanos;
    private volatile String name;

    /** What its ticket offers. Written by the key's own thread. */
    private volatile @Nullable Candidate offer;

    /** The highest index that this gateway had seen before it queued. This and the next for the key's own thread only. */
    private long seenBefore;

    /** Where its ticket was made: what was read before that does not show it. */
    private long ticketIndex;

    LocalWaiter(Claim claim, Claimant claimant, String name, long now) {
        this.claim = claim;
        this.claimant = claimant;
        this.name = name;
        this.queuedAtNanos = now;
    }

    @Override
    public Key key() {
        return claim.key();
    }

    Claim claim() {
        return claim;
    }

    Claimant claimant() {
        return claimant;
    }

    long queuedAtNanos() {
        return queuedAtNanos;
    }

    String name() {
        return name;
    }

    void name(String ticket) {
        name = ticket;
    }

    @Nullable
    Candidate offer() {
        return offer;
    }

    long seenBefore() {
        return seenBefore;
    }

    void offer(@Nullable Candidate made) {
        offer = made;
    }

    /** Whether its ticket offers the grant with this nonce. */
    boolean offersGrant(String nonce) {
        Candidate made = offer;
        return made != null && made.nonce().equals(nonce);
    }

    /** Whether its ticket is there, or has been used. */
    boolean isSeenIn(KeyView view) {
        Candidate made = offer;
        return view.ticket(name).isPresent()
                || (made != null && view.slotOf(made.nonce()).isPresent());
    }

    /** Its ticket is known to have been made. */
    void queued(WriteOutcome.Done done) {
        seenBefore = done.seenBefore();
        ticketIndex = done.view()
                .ticket(name)
                .map(ticket -> ticket.entry().createIndex())
                .orElse(done.view().index());
    }

    /** Whether its ticket was there and is no more. */
    boolean isMissingFrom(KeyView view) {
        return view.ticket(name).isEmpty() && Long.compareUnsigned(view.readIndex(), ticketIndex) >= 0;
    }

    /** Indexes have begun anew: none says anything about the ticket. */
    void indexesRestarted() {
        ticketIndex = 0;
    }
}
