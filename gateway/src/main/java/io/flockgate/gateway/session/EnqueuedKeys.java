package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a session has enqueued and not yet waited for. Takes no memory while there are
 * none. Event loop only.
 */
final class EnqueuedKeys {
    private final Gate gate;
    private final ClientIdentity client;

    /** The client as the gate counts its entries; unchanged after the first. */
    private @Nullable String peer;

    /** A tree, because Java's hash tables never shrink, which would be uncounted memory. */
    private @Nullable Map<Key, PendingClaim> entries;

    private boolean closed;

    /** The claim that the storage has not answered yet. */
    private @Nullable PendingClaim next;

    EnqueuedKeys(Gate gate, ClientIdentity client) {
        this.gate = gate;
        this.client = client;
    }

    /**
     * Reserves room for one more entry and returns null, or else returns the reason for the
     * refusal. After a reservation, {@link #begin} must follow, and then {@link #put} or {@link
     * #notPut}.
     */
    @Nullable
    Plain reserve() {
        return switch (gate.enter(Resource.ENQUEUED, peer())) {
            case ADMITTED -> null;
            case FULL -> Plain.MAX_ENQUEUED;
            case FULL_FOR_PEER -> Plain.MAX_ENQUEUED_PER_CLIENT;
        };
    }

    private String peer() {
        if (peer == null) {
            peer = client.countedAs();
        }
        return peer;
    }

    void begin(PendingClaim entry) {
        next = entry;
    }

    /** Releases the reserved room. */
    void notPut() {
        next = null;
        release(1);
    }

    private void release(int count) {
        gate.add(Resource.ENQUEUED, peer(), -count);
    }

    /** Whether no entry has a place in a queue or a grant. */
    boolean isIdle() {
        return entries == null || entries.values().stream().allMatch(PendingClaim::hasEnded);
    }

    @Nullable
    PendingClaim get(Key key) {
        return entries == null ? null : entries.get(key);
    }

    /** The claim with this place in the queue. */
    @Nullable
    PendingClaim of(Ticket ticket) {
        PendingClaim entry = next != null && next.isFor(ticket) ? next : get(ticket.key());
        return entry != null && entry.isFor(ticket) ? entry : null;
    }

    /**
     * Replaces the key's earlier entry, if there is one. Keeps nothing if the client has
     * disconnected.
     */
    void put(PendingClaim entry) {
        if (closed) {
            notPut();
            return;
        }
        next = null;
        if (entries == null) {
            entries = new TreeMap<>(Key::compareByHash);
        }
        PendingClaim before = entries.put(entry.claim.key(), entry);
        if (before != null) {
            release(1);
        }
    }

    /** Drops an entry, unless the key has another one by now. */
    void forget(PendingClaim entry) {
        if (entries != null && entries.remove(entry.claim.key(), entry)) {
            release(1);
            entries = entries.isEmpty() ? null : entries;
        }
    }

    /** Notes that a grant has ended. */
    void ended(Grant grant, Ending ending) {
        if (next != null) {
            next.ended(grant, ending);
        }
        PendingClaim entry = get(grant.key());
        if (entry != null) {
            entry.ended(grant, ending);
            dropIfReleased(entry);
        }
    }

    /** Drops an entry whose grant was released. One whose lease has ended is kept for its wait. */
    void dropIfReleased(PendingClaim entry) {
        if (entry.isReleased()) {
            forget(entry);
        }
    }

    Collection<PendingClaim> all() {
        return entries == null ? List.of() : entries.values();
    }

    /** Drops and returns all entries, because the client has disconnected. */
    Collection<PendingClaim> close() {
        closed = true;
        Collection<PendingClaim> all = all();
        if (!all.isEmpty()) {
            release(all.size());
        }
        entries = null;
        return all;
    }
}
