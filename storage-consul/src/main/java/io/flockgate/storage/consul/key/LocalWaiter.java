package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.PendingGrant;
import org.jspecify.annotations.Nullable;

/** A waiter of this gateway. It gets a ticket of another name if it loses its place and queues again. */
final class LocalWaiter implements Ticket {
    private final Claim claim;
    private final Claimant claimant;
    private final long queuedAtNanos;
    private volatile String name;

    /** The grant that its ticket offers. Written by the key's own thread. */
    private volatile @Nullable PendingGrant offer;

    /** The highest index that this gateway had seen before the waiter queued. For the key's own thread only. */
    private long seenBefore;

    /** The index of its ticket: an earlier read does not show the ticket. For the key's own thread only. */
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
    PendingGrant offer() {
        return offer;
    }

    long seenBefore() {
        return seenBefore;
    }

    void offer(@Nullable PendingGrant made) {
        offer = made;
    }

    /** Whether its ticket offers the grant with this nonce. */
    boolean offersGrant(String nonce) {
        PendingGrant made = offer;
        return made != null && made.nonce().equals(nonce);
    }

    /** Whether the view shows its ticket, or the grant that another gateway has made of it. */
    boolean isSeenIn(KeyView view) {
        PendingGrant made = offer;
        return view.ticket(name).isPresent()
                || (made != null && view.slotOf(made.nonce()).isPresent());
    }

    /** Its ticket is there, as this write shows. */
    void queued(WriteOutcome.Done done) {
        seenBefore = done.seenBefore();
        ticketIndex = done.view()
                .ticket(name)
                .map(ticket -> ticket.entry().createIndex())
                .orElse(done.view().index());
    }

    /** Whether its ticket was there and is there no more. */
    boolean isMissingFrom(KeyView view) {
        return view.ticket(name).isEmpty() && Long.compareUnsigned(view.readIndex(), ticketIndex) >= 0;
    }

    /** The indexes have begun anew, and cannot be compared with that of the ticket. */
    void indexesRestarted() {
        ticketIndex = 0;
    }
}
