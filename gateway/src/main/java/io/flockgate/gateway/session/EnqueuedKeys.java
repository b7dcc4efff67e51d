package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a session has enqueued and not yet waited for. Takes no memory while there are
 * none. Event loop only.
 */
final class EnqueuedKeys {
    /**
     * Entries whose lease has ended are kept for their wait. Beyond this number, the oldest is
     * dropped.
     */
    private static final int MAX_EXPIRED = 1024;

    /** Maps with this few entries take little memory, and do not shrink. */
    private static final int MIN_SHRUNK = 16;

    private final Gate gate;
    private final ClientIdentity client;

    /** The client as the gate counts its entries; unchanged after the first. */
    private @Nullable String peer;

    private @Nullable Map<Key, Enqueued> entries;

    /** The entries whose lease has ended, oldest first. A subset of the entries. */
    private @Nullable Set<Enqueued> expired;

    /** The maximum number of entries that the maps have had since they last shrank. */
    private int largest;

    private boolean closed;

    EnqueuedKeys(Gate gate, ClientIdentity client) {
        this.gate = gate;
        this.client = client;
    }

    /**
     * Reserves room for one more entry and returns null, or else returns the reason for the
     * refusal. After a reservation, {@link #put} or {@link #notPut} must follow.
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

    /** Releases the reserved room. */
    void notPut() {
        release(1);
    }

    private void release(int count) {
        gate.add(Resource.ENQUEUED, peer(), -count);
    }

    /** Whether no entry has a place in a queue or a grant. */
    boolean isIdle() {
        return entries == null || (expired != null && entries.size() == expired.size());
    }

    @Nullable
    Enqueued get(Key key) {
        return entries == null ? null : entries.get(key);
    }

    /**
     * Replaces the key's earlier entry, if there is one. Keeps nothing if the client has
     * disconnected.
     */
    void put(Enqueued entry) {
        if (closed) {
            notPut();
            return;
        }
        if (entries == null) {
            entries = new HashMap<>();
        }
        Enqueued before = entries.put(entry.claim().key(), entry);
        largest = Math.max(largest, entries.size());
        if (before != null) {
            removed(before);
        }
    }

    /** Drops an entry, unless the key has another one by now. */
    void forget(Enqueued entry) {
        if (entries != null && entries.remove(entry.claim().key(), entry)) {
            removed(entry);
        }
    }

    private void removed(Enqueued entry) {
        release(1);
        if (expired != null) {
            boolean unused = expired.remove(entry);
        }
        shrink();
    }

    /**
     * Copies the maps, because Java's maps never shrink, and empty ones would be uncounted memory
     * of each session.
     */
    private void shrink() {
        if (entries == null || entries.isEmpty()) {
            entries = null;
            expired = null;
            largest = 0;
        } else if (entries.size() < largest / 4) {
            entries = new HashMap<>(entries);
            expired = expired == null ? null : new LinkedHashSet<>(expired);
            largest = Math.max(MIN_SHRUNK, entries.size());
        }
    }

    /**
     * Notes that the entry's grant has ended. An entry whose lease has ended is kept, so that its
     * wait can report this.
     */
    void ended(Enqueued entry) {
        if (entry.ending() == Ending.RELEASED) {
            forget(entry);
        } else if (get(entry.claim().key()) == entry) {
            keepExpired(entry);
        }
    }

    private void keepExpired(Enqueued entry) {
        if (expired == null) {
            expired = new LinkedHashSet<>();
        }
        boolean unused = expired.add(entry);
        if (expired.size() > MAX_EXPIRED) {
            forget(expired.iterator().next());
        }
    }

    /** Drops and returns all entries, because the client has disconnected. */
    Collection<Enqueued> close() {
        closed = true;
        Collection<Enqueued> all = entries == null ? List.of() : entries.values();
        if (!all.isEmpty()) {
            release(all.size());
        }
        entries = null;
        expired = null;
        return all;
    }
}
