package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.api.KvOp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything below one key's prefix, as it stood at one moment. Immutable. */
public final class KeyView {
    private final KeyPath path;
    private final Map<String, KvEntry> entries;
    private final long index;
    private final long readIndex;

    private final @Nullable KvEntry lock;
    private final @Nullable SemaphoreDocument document;
    private final List<QueuedTicket> queue;
    private final List<Slot> slots;

    private KeyView(KeyPath path, Map<String, KvEntry> entries, long index, long readIndex) {
        this.path = path;
        this.entries = entries;
        this.index = index;
        this.readIndex = readIndex;
        this.lock = entries.get(path.lock());
        this.document = lock != null && mayBeSemaphore(lock) ? SemaphoreDocument.parse(lock.value()) : null;
        this.queue = queue(path, entries.values());
        this.slots = findSlots();
    }

    /** What a read found. */
    public static KeyView of(KeyPath path, KvList list) {
        return new KeyView(path, byName(list.entries()), list.index(), list.index());
    }

    /**
     * This view after a transaction, of which Consul has returned these entries.
     *
     * @param operations all of this key
     */
    public KeyView after(List<KvOp> operations, List<KvEntry> results) {
        Map<String, KvEntry> returned = byName(results);
        long newest = results.stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
        if (operations.stream().anyMatch(KvOp.GetTree.class::isInstance)) {
            return new KeyView(path, returned, Math.max(index, newest), Math.max(readIndex, newest));
        }
        Map<String, KvEntry> changed = new LinkedHashMap<>(entries);
        for (KvOp operation : operations) {
            apply(operation, changed, returned);
        }
        return new KeyView(path, changed, Math.max(index, newest), readIndex);
    }

    private static void apply(KvOp operation, Map<String, KvEntry> entries, Map<String, KvEntry> returned) {
        switch (operation) {
            case KvOp.Set set -> written(entries, returned, set.key(), set.flags(), set.value(), false, null);
            case KvOp.Cas cas -> written(entries, returned, cas.key(), cas.flags(), cas.value(), false, null);
            case KvOp.Lock held ->
                written(entries, returned, held.key(), held.flags(), held.value(), true, held.session());
            case KvOp.Unlock freed -> written(entries, returned, freed.key(), freed.flags(), freed.value(), true, null);
            case KvOp.DeleteCas deleted -> entries.remove(deleted.key());
            case KvOp.CheckIndex check -> {}
            case KvOp.CheckNotExists check -> {}
            case KvOp.GetTree tree -> {}
        }
    }

    private static void written(
            Map<String, KvEntry> entries,
            Map<String, KvEntry> returned,
            String key,
            long flags,
            byte[] value,
            boolean sessionChanges,
            @Nullable String session) {
        KvEntry result = returned.get(key);
        if (result == null) {
            return;
        }
        KvEntry before = entries.get(key);
        String holder = sessionChanges || before == null ? session : before.session();
        entries.put(
                key,
                new KvEntry(key, flags, value, holder, result.lockIndex(), result.createIndex(), result.modifyIndex()));
    }

    /** Of entries that come twice the last counts: a transaction returns first what it wrote, then what it read. */
    private static Map<String, KvEntry> byName(List<KvEntry> entries) {
        Map<String, KvEntry> byName = new LinkedHashMap<>();
        entries.forEach(each -> byName.put(each.key(), each));
        return byName;
    }

    private static List<QueuedTicket> queue(KeyPath path, Collection<KvEntry> entries) {
        List<QueuedTicket> queue = new ArrayList<>();
        for (KvEntry entry : entries) {
            String name = path.ticketName(entry.key());
            TicketMark mark = name == null || entry.session() == null ? null : TicketMark.parse(entry.value());
            if (name != null && mark != null) {
                queue.add(new QueuedTicket(name, mark, entry));
            }
        }
        queue.sort(QueuedTicket.ORDER);
        return List.copyOf(queue);
    }

    private static boolean mayBeSemaphore(KvEntry lock) {
        return lock.flags() == Flags.SEMAPHORE || lock.flags() == Flags.NONE;
    }

    private List<Slot> findSlots() {
        List<Slot> held = new ArrayList<>();
        if (lock != null && lock.flags() == Flags.MUTEX && lock.session() != null) {
            held.add(new Slot(lock.session(), lock, HolderMark.parse(lock.value())));
        } else if (document != null) {
            for (String session : document.holders()) {
                KvEntry contender = entries.get(path.contender(session));
                if (contender != null && session.equals(contender.session())) {
                    held.add(new Slot(session, contender, HolderMark.parse(contender.value())));
                }
            }
        }
        held.sort(Comparator.comparingLong(Slot::fenceIndex));
        return List.copyOf(held);
    }

    public KeyPath path() {
        return path;
    }

    /** No entry here is newer; and what was read at an older index is older than this view. */
    public long index() {
        return index;
    }

    /** All entries of others up to this index are here. */
    public long readIndex() {
        return readIndex;
    }

    /** Whether the key is there: held, queued for, or idle and not forgotten. */
    public boolean exists() {
        return lock != null || !queue.isEmpty();
    }

    /** The key {@code .lock}. */
    public @Nullable KvEntry lock() {
        return lock;
    }

    /** When the key {@code .lock} was changed last; 0 when there is none. */
    public long lockIndex() {
        return lock == null ? 0 : lock.modifyIndex();
    }

    /** A semaphore's document; null for all else. */
    public @Nullable SemaphoreDocument document() {
        return document;
    }

    /** What the key is; empty when it is not there, or is a semaphore's key that has been emptied. */
    public Optional<KeyType> type() {
        if (document != null) {
            return Optional.of(new KeyType.Known(Kind.SEMAPHORE, document.limit()));
        }
        if (lock == null || isEmptied(lock)) {
            return queue.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new KeyType.Known(
                            queue.getFirst().mark().kind(),
                            queue.getFirst().mark().limit()));
        }
        return Optional.of(lock.flags() == Flags.MUTEX ? new KeyType.Known(Kind.LOCK, 1) : foreign(lock));
    }

    /** Consul's own tools take an empty value for no semaphore at all. */
    private static boolean isEmptied(KvEntry lock) {
        return lock.flags() == Flags.SEMAPHORE && lock.value().length == 0;
    }

    /** Whether this was a semaphore's document that somebody has emptied: it may be a semaphore again, of any limit. */
    public boolean isEmptiedSemaphore() {
        return lock != null && isEmptied(lock);
    }

    private static KeyType foreign(KvEntry lock) {
        return new KeyType.Foreign(
                lock.flags() == Flags.SEMAPHORE
                        ? "its value is no semaphore's document"
                        : "it has the flags " + Long.toUnsignedString(lock.flags()) + " of neither lock nor semaphore");
    }

    /** The tickets, first come first. */
    public List<QueuedTicket> queue() {
        return queue;
    }

    /**
     * The ticket that is next to have a slot: the first of those that take the key for what it is. Others keep their places, as
     * an operator may change the key back.
     */
    public Optional<QueuedTicket> head() {
        return queue.stream().filter(each -> fits(each.mark())).findFirst();
    }

    private boolean fits(TicketMark ticket) {
        boolean known = type().filter(new KeyType.Known(ticket.kind(), ticket.limit())::equals)
                .isPresent();
        return known && !(isEmptiedSemaphore() && ticket.kind() == Kind.LOCK);
    }

    /** The slots whose holders are alive, oldest grant first. Sessions in the document without a key of their own are not. */
    public List<Slot> slots() {
        return slots;
    }

    public Optional<Slot> slotOf(String nonce) {
        return slots.stream().filter(each -> each.isOf(nonce)).findFirst();
    }

    public Optional<QueuedTicket> ticket(String name) {
        return queue.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** The entry of this full name; null when there is none. */
    public @Nullable KvEntry entry(String key) {
        return entries.get(key);
    }

    /** Whether somebody who is no gateway wants a slot of this semaphore and has none. */
    public boolean foreignersWait() {
        return document != null && entries.values().stream().anyMatch(this::isForeignContender);
    }

    private boolean isForeignContender(KvEntry entry) {
        String session = entry.session();
        return session != null
                && entry.key().equals(path.contender(session))
                && HolderMark.parse(entry.value()) == null
                && slots.stream().noneMatch(each -> each.session().equals(session));
    }

    /** The contender keys that gateways have made and that hold no slot, though their sessions live: struck, or left over. */
    public List<KvEntry> leftOver() {
        return entries.values().stream()
                .filter(entry -> entry.session() != null
                        && entry.key().equals(path.contender(entry.session()))
                        && HolderMark.parse(entry.value()) != null
                        && slots.stream().noneMatch(each -> each.session().equals(entry.session())))
                .toList();
    }

    /** The newest change of any entry. */
    public long newestChange() {
        return entries.values().stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
    }
}
