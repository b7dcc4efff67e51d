package io.flockgate.client.consul;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A snapshot of everything below one key's prefix. Immutable, pure. */
final class View {
    private final KeyPath path;
    private final long index;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final @Nullable Entry lock;
    private final @Nullable Document document;
    private final List<Ticket> queue;
    private final List<Slot> slots;

    View(KeyPath path, Collection<Entry> all, long index) {
        this.path = path;
        this.index = index;
        all.forEach(each -> entries.put(each.key(), each));
        this.lock = entries.get(path.lock());
        this.document = lock != null && mayBeSemaphore(lock) ? Document.parse(lock.value()) : null;
        this.queue = findQueue();
        this.slots = findSlots();
    }

    private static boolean mayBeSemaphore(Entry lock) {
        return lock.flags() == Flags.SEMAPHORE || lock.flags() == Flags.NONE;
    }

    private List<Ticket> findQueue() {
        List<Ticket> tickets = new ArrayList<>();
        for (Entry entry : entries.values()) {
            Ticket ticket = path.isTicket(entry.key()) && entry.session() != null ? Ticket.parse(entry) : null;
            if (ticket != null && !ticket.isRemoved()) {
                tickets.add(ticket);
            }
        }
        tickets.sort(Ticket.ORDER);
        return List.copyOf(tickets);
    }

    private List<Slot> findSlots() {
        List<Slot> held = new ArrayList<>();
        if (lock != null && lock.flags() == Flags.MUTEX) {
            addSlot(lock.session() == null ? "" : lock.session(), lock, held);
        } else if (document != null) {
            for (String session : document.holders()) {
                Entry contender = entries.get(path.contender(session));
                if (contender != null && (contender.session() == null || session.equals(contender.session()))) {
                    addSlot(session, contender, held);
                }
            }
        }
        return List.copyOf(held);
    }

    /** Without a session a slot counts only if a mark shows that nobody has released it. */
    private static void addSlot(String session, Entry entry, List<Slot> slots) {
        Mark mark = Mark.parse(entry.value());
        if (entry.session() != null || mark != null) {
            slots.add(new Slot(session, entry, mark));
        }
    }

    KeyPath path() {
        return path;
    }

    /** The index to wait from for the next change. */
    long index() {
        return index;
    }

    @Nullable
    Entry lock() {
        return lock;
    }

    /** The document of a semaphore; null for anything else. */
    @Nullable
    Document document() {
        return document;
    }

    @Nullable
    Entry entry(String key) {
        return entries.get(key);
    }

    /** The slots that are not free. */
    List<Slot> slots() {
        return slots;
    }

    Optional<Slot> slotOf(String nonce) {
        return slots.stream()
                .filter(each -> !each.hasEnded() && each.isOf(nonce))
                .findFirst();
    }

    /** The first ticket of a waiter that expects what the key is. */
    Optional<Ticket> head() {
        return queue.stream()
                .filter(each -> mismatch(each.lock() ? 1 : each.limit(), each.lock()) == null)
                .findFirst();
    }

    /** The reason why a claim with this limit does not fit the key; null when it fits. */
    @Nullable
    String mismatch(long limit) {
        return mismatch(limit, limit == 1);
    }

    private @Nullable String mismatch(long limit, boolean asLock) {
        if (document != null) {
            return asLock || document.limit() != limit
                    ? "is in use as a semaphore with limit " + document.limit() + ", not with limit " + limit
                    : null;
        } else if (lock == null) {
            return queue.isEmpty() ? null : mismatchOf(queue.get(0), limit, asLock);
        } else if (lock.flags() == Flags.SEMAPHORE && lock.value().length == 0) {
            boolean fits = !asLock && (queue.isEmpty() || mismatchOf(queue.get(0), limit, false) == null);
            return fits ? null : "is in use as a semaphore of another limit than " + limit;
        } else if (lock.flags() != Flags.MUTEX) {
            return "is in use by other software: its entry in Consul is neither a lock nor a semaphore";
        }
        return asLock ? null : "is in use as a lock, with limit 1, not with limit " + limit;
    }

    private static @Nullable String mismatchOf(Ticket first, long limit, boolean asLock) {
        return first.lock() == asLock && first.limit() == limit
                ? null
                : "is waited for with limit " + first.limit() + ", not with limit " + limit;
    }

    /** Whether a slot is free for a claim that fits. */
    boolean hasRoom(long limit) {
        return slots.size() < limit;
    }
}
