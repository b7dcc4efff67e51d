package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.ClientMark;
import io.flockgate.consul.format.KeyKind;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.layout.Terms;
import org.jspecify.annotations.Nullable;

/** A waiter of this gateway. If it loses its ticket, it gets a new one with another name. */
final class LocalWaiter implements Ticket {
    private final Claim claim;
    private final Claimant claimant;
    private final ClientMark client;
    private final long queuedAtNanos;
    private final long actMillis;
    private volatile String name;

    /** The grant that its ticket offers. Written by the key's own thread. */
    private volatile @Nullable PendingGrant offer;

    /**
     * This gateway's own write of the grant in {@link #offer}, while the grant is in doubt; null
     * when another gateway may make the grant. For the key's own thread only.
     */
    private WriteOutcome.@Nullable Done written;

    /**
     * The highest index that this gateway had seen before it sent the ticket. For the key's own
     * thread only.
     */
    private long seenBefore;

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

    @Nullable
    PendingGrant offer() {
        return offer;
    }

    void offer(@Nullable PendingGrant made) {
        offer = made;
        written = null;
    }

    /** Records a grant that is written but in doubt, which replaces the offer. */
    void inDoubt(PendingGrant made, WriteOutcome.Done done) {
        offer = made;
        written = done;
    }

    /**
     * The write of its grant, which the view shows. The lease of an offered grant is renewed
     * without a write, so no other gateway measures its time, and it may begin now.
     */
    WriteOutcome.Done grantIn(KeyView view, long now) {
        WriteOutcome.Done own = written;
        return own == null
                ? new WriteOutcome.Done(view, now, seenBefore)
                : new WriteOutcome.Done(view, own.sentAt(), own.seenBefore());
    }

    /** The mark of its ticket. An offered lock is held by the session that holds the ticket. */
    TicketMark mark(String gateway, String session) {
        PendingGrant made = offer;
        if (made != null && made.kind() == KeyKind.LOCK && !made.session().equals(session)) {
            made = made.under(session);
            offer = made;
        }
        return new TicketMark(gateway, Terms.kind(claim.kind()), claim.limit(), 0, made)
                .acting(actMillis)
                .of(client);
    }

    /** Whether its ticket offers the grant with this nonce. */
    boolean offersGrant(String nonce) {
        PendingGrant made = offer;
        return made != null && made.nonce().equals(nonce);
    }

    /** Whether the view shows its ticket, or the grant that another gateway has made from it. */
    boolean isSeenIn(KeyView view) {
        PendingGrant made = offer;
        return view.ticket(name).isPresent()
                || (made != null && view.slotOf(made.nonce()).isPresent());
    }

    /** Records the write that made its ticket. */
    void queued(WriteOutcome.Done done) {
        seenBefore = done.seenBefore();
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
