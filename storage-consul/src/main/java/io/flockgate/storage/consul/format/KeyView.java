package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A snapshot of everything below one key's prefix. Immutable. */
public final class KeyView {
    private final KeyPath path;
    private final Map<String, KvEntry> entries;
    private final long index;
    private final long readIndex;

    private final @Nullable KvEntry lock;
    private final @Nullable SemaphoreDocument document;
    private final List<QueuedTicket> queue;
    private final List<QueuedTicket> removed;
    private final Map<String, QueuedTicket> tickets;
    private final List<Slot> slots;
    private final Map<String, Slot> liveByNonce = new HashMap<>();
    private final Set<String> slotSessions = new HashSet<>();

    private KeyView(KeyPath path, Map<String, KvEntry> entries, long index, long readIndex) {
        this.path = path;
        this.entries = entries;
        this.index = index;
        this.readIndex = readIndex;
        this.lock = entries.get(path.lock());
        this.document = lock != null && mayBeSemaphore(lock) ? SemaphoreDocument.parse(lock.value()) : null;
        List<QueuedTicket> living = tickets(path, entries.values(), true);
        this.removed =
                living.stream().filter(ticket -> ticket.mark().isRemoved()).toList();
        this.queue = removed.isEmpty()
                ? living
                : living.stream().filter(ticket -> !ticket.mark().isRemoved()).toList();
        this.tickets = queue.stream().collect(Collectors.toMap(QueuedTicket::name, ticket -> ticket));
        this.slots = findSlots();
        for (Slot each : slots) {
            slotSessions.add(each.session());
            HolderMark mark = each.mark();
            if (mark != null && !each.hasEnded()) {
                liveByNonce.putIfAbsent(mark.nonce(), each);
            }
        }
    }

    /** The view that a read returned. */
    public static KeyView of(KeyPath path, KvList list) {
        return new KeyView(path, byName(list.entries()), list.index(), list.index());
    }

    /**
     * This view after a transaction for which Consul returned these entries.
     *
     * @param operations the operations of the transaction, all on this key
     */
    public KeyView after(List<KvOp> operations, List<KvEntry> results) {
        Map<String, KvEntry> returned = byName(results);
        long newest = results.stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
        if (operations.stream().anyMatch(KvOp.GetTree.class::isInstance)) {
            return new KeyView(path, returned, Math.max(index, newest), Math.max(readIndex, newest));
        }
        Map<String, KvEntry> written = WrittenEntries.after(entries, operations, returned);
        return new KeyView(path, written, Math.max(index, newest), readIndex);
    }

    /**
     * The entries by name. If a name occurs twice, the last entry counts: a transaction returns
     * first the entries that it wrote, and then those that it read.
     */
    private static Map<String, KvEntry> byName(List<KvEntry> entries) {
        Map<String, KvEntry> byName = new LinkedHashMap<>();
        entries.forEach(each -> byName.put(each.key(), each));
        return byName;
    }

    private static List<QueuedTicket> tickets(KeyPath path, Collection<KvEntry> entries, boolean living) {
        List<QueuedTicket> queue = new ArrayList<>();
        for (KvEntry entry : entries) {
            String name = path.ticketName(entry.key());
            TicketMark mark = name == null ? null : TicketMark.parse(entry.value());
            if (name != null && mark != null && (entry.session() != null) == living) {
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
        if (lock != null && lock.flags() == Flags.MUTEX) {
            addSlot(Objects.requireNonNullElse(lock.session(), ""), lock, held);
        } else if (document != null) {
            for (String session : document.holders()) {
                KvEntry contender = entries.get(path.contender(session));
                if (contender != null && (contender.session() == null || session.equals(contender.session()))) {
                    addSlot(session, contender, held);
                }
            }
        }
        held.sort(Comparator.comparingLong(Slot::fenceIndex));
        return List.copyOf(held);
    }

    /**
     * Adds a slot. If its session has ended, the slot still counts if it has a gateway's mark,
     * because a release would have removed the mark.
     */
    private static void addSlot(String session, KvEntry entry, List<Slot> slots) {
        HolderMark mark = HolderMark.parse(entry.value());
        if (entry.session() != null || mark != null) {
            slots.add(new Slot(session, entry, mark));
        }
    }

    public KeyPath path() {
        return path;
    }

    /**
     * The index of this view. No entry is newer, and a read with a lower index is older than this
     * view.
     */
    public long index() {
        return index;
    }

    /** The index up to which this view contains all changes by other gateways. */
    public long readIndex() {
        return readIndex;
    }

    /** Whether the key exists: it is held, has waiters, or is idle and not yet deleted. */
    public boolean exists() {
        return lock != null || !queue.isEmpty();
    }

    /**
     * Whether a session holds any entry: a lock, a slot, a place in the queue, or an entry unknown
     * to this gateway.
     */
    public boolean isUsedBySessions() {
        return entries.values().stream().anyMatch(each -> each.session() != null);
    }

    /** The entry {@code .lock}; null when there is none. */
    public @Nullable KvEntry lock() {
        return lock;
    }

    /** The index of the last change of {@code .lock}; 0 when there is none. */
    public long lockIndex() {
        return lock == null ? 0 : lock.modifyIndex();
    }

    /** The document of a semaphore; null for anything else. */
    public @Nullable SemaphoreDocument document() {
        return document;
    }

    /**
     * The type of the key, from its entry {@code .lock}, otherwise from the first ticket. Empty if
     * there is neither, or if a semaphore's document has been emptied and the queue is empty.
     */
    public Optional<KeyType> type() {
        if (document != null) {
            return Optional.of(new KeyType.Known(Kind.SEMAPHORE, document.limit()));
        }
        if (lock == null || isEmptied(lock)) {
            return queue.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new KeyType.Known(
                            queue.get(0).mark().kind(), queue.get(0).mark().limit()));
        }
        return Optional.of(lock.flags() == Flags.MUTEX ? new KeyType.Known(Kind.LOCK, 1) : new KeyType.Foreign());
    }

    /** Whether a claim matches the kind and the limit of a key. */
    public enum Fit {
        FITS,
        /** The key is of the other kind, or in use by other software. */
        OTHER_KIND,
        OTHER_LIMIT
    }

    /**
     * Whether a claim that expects this kind and limit fits the key. An idle semaphore fits any
     * limit, and takes it.
     */
    public Fit fit(Kind kind, long limit) {
        if (!isOfKind(kind)) {
            return Fit.OTHER_KIND;
        }
        return limitOr(limit) == limit || isIdle() ? Fit.FITS : Fit.OTHER_LIMIT;
    }

    private boolean isOfKind(Kind kind) {
        if (kind == Kind.LOCK && isEmptiedSemaphore()) {
            return false;
        }
        KeyType type = type().orElse(null);
        return type == null || (type instanceof KeyType.Known known && known.kind() == kind);
    }

    /** The number of slots of the key; the given number if the key has none of its own. */
    private long limitOr(long other) {
        return type().orElse(null) instanceof KeyType.Known known ? known.limit() : other;
    }

    /** Whether the key has neither holders nor waiters, those of other software included. */
    boolean isIdle() {
        return slots.isEmpty() && queue.isEmpty() && !hasForeignWaiters();
    }

    /** Consul's own tools do not accept an empty value as a semaphore's document. */
    private static boolean isEmptied(KvEntry lock) {
        return lock.flags() == Flags.SEMAPHORE && lock.value().length == 0;
    }

    /**
     * Whether a semaphore's document has been emptied, so that the key may become a semaphore of
     * another limit.
     */
    private boolean isEmptiedSemaphore() {
        return lock != null && isEmptied(lock);
    }

    /** The tickets in the order of the queue. */
    public List<QueuedTicket> queue() {
        return queue;
    }

    /**
     * The tickets of waiters that an operator has removed, and the notices of evicted grants.
     * Neither is a place in the queue.
     */
    public List<QueuedTicket> removed() {
        return removed;
    }

    /** Whether an operator has removed the waiter with this ticket. */
    public boolean isRemoved(String ticket) {
        return removed.stream().anyMatch(each -> each.name().equals(ticket));
    }

    /** The tickets whose sessions have ended, which are not places in the queue. */
    public List<QueuedTicket> endedTickets() {
        return tickets(path, entries.values(), false);
    }

    /**
     * The first ticket whose kind is the key's, whatever limit its claim expected, because an
     * operator may have changed the limit since. Other tickets keep their places, because an
     * operator may change the key back.
     */
    public Optional<QueuedTicket> head() {
        return queue.stream().filter(each -> fits(each.mark())).findFirst();
    }

    private boolean fits(TicketMark ticket) {
        return isOfKind(ticket.kind()) && (ticket.kind() == Kind.SEMAPHORE || ticket.limit() == 1);
    }

    /**
     * The slots that are not free, oldest grant first: those of live holders, and those whose
     * sessions ended without a release. A session that is in the document but has no contender key
     * does not count.
     */
    public List<Slot> slots() {
        return slots;
    }

    /**
     * Whether a slot is free, or will be when the given one is.
     *
     * @param limit the number of slots if the key has no limit of its own yet
     */
    public boolean hasRoom(long limit, @Nullable Slot freed) {
        return slots.size() - (freed == null ? 0 : 1) < limitOr(limit);
    }

    /** The slots whose sessions ended without a release. */
    public List<Slot> endedSlots() {
        return slots.stream().filter(Slot::hasEnded).toList();
    }

    /** The slot of the grant that was made with this nonce, unless its session has ended. */
    public Optional<Slot> slotOf(String nonce) {
        return Optional.ofNullable(liveByNonce.get(nonce));
    }

    public Optional<QueuedTicket> ticket(String name) {
        return Optional.ofNullable(tickets.get(name));
    }

    /** The ticket of this name, even if an operator has removed its waiter. */
    public Optional<QueuedTicket> ticketOrRemoved(String name) {
        return ticket(name)
                .or(() -> removed.stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst());
    }

    /** The entry of this full name; null when there is none. */
    public @Nullable KvEntry entry(String key) {
        return entries.get(key);
    }

    /** Whether a foreign client waits for a slot of this semaphore. */
    public boolean hasForeignWaiters() {
        return document != null && entries.values().stream().anyMatch(this::isForeignContender);
    }

    private boolean isForeignContender(KvEntry entry) {
        String session = entry.session();
        return session != null
                && entry.key().equals(path.contender(session))
                && HolderMark.parse(entry.value()) == null
                && !slotSessions.contains(session);
    }

    /**
     * The contender keys with a gateway's mark whose session is live but has no slot, for instance
     * because an operator has removed the holder from the document.
     */
    public List<KvEntry> leftOver() {
        return entries.values().stream()
                .filter(entry -> entry.session() != null
                        && entry.key().equals(path.contender(entry.session()))
                        && HolderMark.parse(entry.value()) != null
                        && !slotSessions.contains(entry.session()))
                .toList();
    }

    /** The contender keys with a gateway's mark that have neither a live session nor a slot. */
    public List<KvEntry> endedLeftOver() {
        Set<String> slotKeys = slots.stream().map(each -> each.entry().key()).collect(Collectors.toSet());
        return entries.values().stream()
                .filter(entry -> path.isOrphan(entry)
                        && HolderMark.parse(entry.value()) != null
                        && !slotKeys.contains(entry.key()))
                .toList();
    }

    /** The index of the newest change of any entry. */
    public long newestChange() {
        return entries.values().stream().mapToLong(KvEntry::modifyIndex).max().orElse(0);
    }
}
