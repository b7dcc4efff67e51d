package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.consul.format.ClientMark;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark;

/** A waiter of this gateway. If it loses its ticket, it gets a new one with another name. */
final class LocalWaiter implements Ticket {
    private final Claim claim;
    private final Claimant claimant;
    private final ClientMark client;
    private final long queuedAtNanos;
    private final long actMillis;
    private volatile String name;

    /**
     * The index of its ticket. A read with a lower index does not show the ticket. For the key's
     * own thread only.
     */
    private long ticketIndex;

    /**
     * @param actMillis the time within which it acts on a free slot as the head, throughout its
     *     wait
     */
    LocalWaiter(Claim claim, Claimant claimant, ClientMark client, String name, long now, long actMillis) {
        this.claim = claim;
        this.claimant = claimant;
        this.client = client;
        this.name = name;
        this.queuedAtNanos = now;
        this.actMillis = actMillis;
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

    long actMillis() {
        return actMillis;
    }

    String name() {
        return name;
    }

    void name(String ticket) {
        name = ticket;
    }

    /** The mark of its ticket. */
    TicketMark mark(String gateway) {
        return new TicketMark(gateway, claim.kind(), claim.limit(), 0)
                .acting(actMillis)
                .of(client);
    }

    /** Whether the view shows its ticket. */
    boolean isSeenIn(KeyView view) {
        return view.ticket(name).isPresent();
    }

    /** Records the write that made its ticket. */
    void queued(WriteOutcome.Done done) {
        ticketIndex = done.view()
                .ticket(name)
                .map(ticket -> ticket.entry().createIndex())
                .orElse(done.view().index());
    }

    /** Whether its ticket existed before and no longer does. */
    boolean isMissingFrom(KeyView view) {
        return view.ticket(name).isEmpty()
                && !view.isRemoved(name)
                && Long.compareUnsigned(view.readIndex(), ticketIndex) >= 0;
    }

    /** Forgets the index of the ticket, because the key's indexes have restarted. */
    void indexesRestarted() {
        ticketIndex = 0;
    }
}
