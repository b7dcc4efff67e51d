package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that change a key. Each is conditional on the view from which it was made, so it
 * has no effect if it arrives late (protocol-docs/consul-layout.md, "Transactions").
 */
public final class Transactions {
    /**
     * The maximum number of tickets in one transaction. Consul before 1.14 accepts 64 operations.
     */
    public static final int MAX_TICKETS = 24;

    /** The maximum number of entries that one transaction deletes. */
    public static final int MAX_DELETED = 60;

    private static final int MAX_NAME = 1_000;

    private final HoldersForm form;

    /**
     * Creates the transactions of a cluster.
     *
     * @param form the form of the holders in new documents
     */
    public Transactions(HoldersForm form) {
        this.form = form;
    }

    /** Takes a free slot, provided that no claim waits. */
    public List<KvOp> takeFree(KeyView view, PendingGrant grant) {
        List<KvOp> operations = new ArrayList<>();
        operations.add(sequenceUnchanged(view));
        take(view, grant, null, operations);
        return operations;
    }

    /** Gives a free slot to the head of the queue. */
    public List<KvOp> promote(KeyView view, QueuedTicket head, PendingGrant grant) {
        List<KvOp> operations = new ArrayList<>();
        leaveQueue(head, operations);
        take(view, grant, null, operations);
        return operations;
    }

    /** Frees a slot. */
    public List<KvOp> free(KeyView view, Slot slot) {
        List<KvOp> operations = new ArrayList<>();
        if (slot.isLock(view.path())) {
            unlock(slot, operations);
        } else {
            SemaphoreDocument document = view.document();
            if (document != null) {
                operations.add(write(view, document.withHolders(holders(view, slot, null))));
            }
            operations.add(delete(slot.entry()));
        }
        return operations;
    }

    /** Frees a slot and gives it to the head of the queue. */
    public List<KvOp> handOver(KeyView view, Slot slot, QueuedTicket head, PendingGrant grant) {
        List<KvOp> operations = new ArrayList<>();
        leaveQueue(head, operations);
        operations.addAll(takeOver(view, slot, grant));
        return operations;
    }

    /** Frees a slot and takes it for this grant. */
    public List<KvOp> takeOver(KeyView view, Slot slot, PendingGrant grant) {
        List<KvOp> operations = new ArrayList<>();
        if (slot.isLock(view.path())) {
            unlock(slot, operations);
            operations.add(
                    new KvOp.Lock(view.path().lock(), Flags.MUTEX, grant.mark().toBytes(), grant.session()));
        } else {
            // The session may have another slot by now, and must not have two.
            operations.add(new KvOp.CheckNotExists(view.path().contender(grant.session())));
            take(view, grant, slot, operations);
            operations.add(delete(slot.entry()));
        }
        return operations;
    }

    /**
     * Frees a slot for an operator, and leaves a notice for the gateway of the grant, which would
     * otherwise take the eviction for a release.
     *
     * @param freeing frees the slot, with or without a grant to a waiter
     */
    public List<KvOp> withNotice(List<KvOp> freeing, KeyView view, Slot slot) {
        HolderMark mark = slot.mark();
        if (mark == null || slot.hasEnded() || !isPlain(mark.gateway() + mark.nonce())) {
            return freeing;
        }
        boolean lock = slot.isLock(view.path());
        SemaphoreDocument document = view.document();
        TicketMark notice = new TicketMark(
                        mark.gateway(),
                        lock ? Kind.LOCK : Kind.SEMAPHORE,
                        lock || document == null ? 1 : document.limit(),
                        0)
                .removed();
        List<KvOp> operations = new ArrayList<>(freeing);
        String key = view.path().notice(mark.gateway(), mark.nonce());
        operations.add(new KvOp.Lock(key, Flags.NONE, notice.toBytes(), slot.session()));
        return operations;
    }

    /** Whether a name from a mark can be a name in Consul. */
    private static boolean isPlain(String name) {
        return name.length() <= MAX_NAME
                && !name.contains("..")
                && name.chars()
                        .allMatch(
                                each -> each < 128 && (Character.isLetterOrDigit(each) || "-_.,~".indexOf(each) >= 0));
    }

    private static void unlock(Slot slot, List<KvOp> operations) {
        KvEntry lock = slot.entry();
        if (slot.hasEnded()) {
            operations.add(new KvOp.Cas(lock.key(), Flags.MUTEX, new byte[0], lock.modifyIndex()));
            return;
        }
        operations.add(unchanged(lock));
        operations.add(new KvOp.Unlock(lock.key(), Flags.MUTEX, new byte[0], slot.session()));
    }

    private static void leaveQueue(QueuedTicket head, List<KvOp> operations) {
        operations.add(unchanged(head.entry()));
        operations.add(delete(head.entry()));
    }

    private void take(KeyView view, PendingGrant grant, @Nullable Slot freed, List<KvOp> operations) {
        KeyPath path = view.path();
        byte[] mark = grant.mark().toBytes();
        if (grant.kind() == Kind.LOCK) {
            operations.add(unchanged(path.lock(), view.lock()));
            operations.add(new KvOp.Lock(path.lock(), Flags.MUTEX, mark, grant.session()));
        } else {
            SemaphoreDocument document = view.document();
            SemaphoreDocument base = document == null
                    ? SemaphoreDocument.empty(grant.limit(), form)
                    : document.withLimit(view.isIdle() ? grant.limit() : document.limit());
            operations.add(new KvOp.Lock(path.contender(grant.session()), Flags.SEMAPHORE, mark, grant.session()));
            operations.add(write(view, base.withHolders(holders(view, freed, grant.session()))));
        }
    }

    /** The living holders, without the leaving one and with the new one. */
    private static Set<String> holders(KeyView view, @Nullable Slot gone, @Nullable String comes) {
        Set<String> holders = new LinkedHashSet<>();
        SemaphoreDocument document = view.document();
        if (document != null) {
            for (String session : document.holders()) {
                boolean goes = gone != null && gone.session().equals(session);
                boolean lives =
                        view.slots().stream().anyMatch(each -> each.session().equals(session));
                if (lives && !goes) {
                    holders.add(session);
                }
            }
        }
        if (comes != null) {
            holders.add(comes);
        }
        return holders;
    }

    private static KvOp write(KeyView view, SemaphoreDocument document) {
        KvEntry lock = view.lock();
        return new KvOp.Cas(
                view.path().lock(), Flags.SEMAPHORE, document.toBytes(), lock == null ? 0 : lock.modifyIndex());
    }

    private static KvOp sequenceUnchanged(KeyView view) {
        return unchanged(view.path().sequence(), view.entry(view.path().sequence()));
    }

    private static KvOp unchanged(String key, @Nullable KvEntry entry) {
        return entry == null ? new KvOp.CheckNotExists(key) : unchanged(entry);
    }

    private static KvOp unchanged(KvEntry entry) {
        return new KvOp.CheckIndex(entry.key(), entry.modifyIndex());
    }

    private static KvOp delete(KvEntry entry) {
        return new KvOp.DeleteCas(entry.key(), entry.modifyIndex());
    }

    /**
     * Creates tickets in this order, and returns everything below the prefix.
     *
     * @param tickets as for {@link #enqueue}
     */
    public List<KvOp> enqueueAndRead(KeyPath path, Map<String, TicketMark> tickets, String session) {
        List<KvOp> operations = enqueue(path, tickets, session);
        operations.add(new KvOp.GetTree(path.root()));
        return operations;
    }

    /**
     * Creates tickets in this order. Conflicts with nothing.
     *
     * @param tickets the marks of the tickets by name, in their order; at most {@link #MAX_TICKETS}
     */
    public List<KvOp> enqueue(KeyPath path, Map<String, TicketMark> tickets, String session) {
        String newest = "";
        List<KvOp> operations = new ArrayList<>();
        for (Map.Entry<String, TicketMark> each : tickets.entrySet()) {
            newest = each.getKey();
            String ticket = path.ticket(newest);
            operations.add(new KvOp.CheckNotExists(ticket));
            operations.add(new KvOp.Lock(ticket, Flags.NONE, each.getValue().toBytes(), session));
        }
        // Unconditional. A late write only makes claims that saw an empty queue read again.
        operations.add(0, new KvOp.Set(path.sequence(), Flags.NONE, newest.getBytes(StandardCharsets.US_ASCII)));
        return operations;
    }

    /** Deletes a ticket. */
    public List<KvOp> dequeue(QueuedTicket ticket) {
        return List.of(delete(ticket.entry()));
    }

    /** Marks a ticket as removed by an operator. */
    public List<KvOp> remove(QueuedTicket ticket) {
        return rewrite(ticket, ticket.mark().removed());
    }

    /** Changes the limit of a semaphore. */
    public List<KvOp> setLimit(KeyView view, SemaphoreDocument document, long limit) {
        return List.of(write(view, document.withLimit(limit)));
    }

    /** Deletes the ticket of a dead head, if the slot that it has not taken is still free. */
    public List<KvOp> evict(KeyView view, QueuedTicket head) {
        return List.of(unchanged(view.path().lock(), view.lock()), delete(head.entry()));
    }

    /**
     * Changes a ticket, to show that the gateway of the head is alive although the head cannot take
     * its slot.
     */
    public List<KvOp> touch(QueuedTicket ticket) {
        return rewrite(ticket, ticket.mark().touched());
    }

    private static List<KvOp> rewrite(QueuedTicket ticket, TicketMark mark) {
        KvEntry entry = ticket.entry();
        String session = entry.session();
        if (session == null) {
            throw new IllegalArgumentException("a key that no session holds");
        }
        return List.of(unchanged(entry), new KvOp.Lock(entry.key(), Flags.NONE, mark.toBytes(), session));
    }

    /** Writes a renewal into the holder's key. */
    public List<KvOp> renew(Slot slot, long leaseMillis) {
        KvEntry entry = slot.entry();
        HolderMark mark = slot.mark();
        if (mark == null) {
            throw new IllegalArgumentException("a holder that no gateway made");
        }
        byte[] renewed = mark.renewed(slot.fenceIndex(), leaseMillis).toBytes();
        return List.of(unchanged(entry), new KvOp.Lock(entry.key(), entry.flags(), renewed, slot.session()));
    }

    /** Deletes entries; at most {@link #MAX_DELETED}. */
    public List<KvOp> delete(List<KvEntry> entries) {
        return entries.stream().map(Transactions::delete).toList();
    }

    /** Deletes the key of a contender or a holder, and leaves the Holders document as it is. */
    public List<KvOp> deleteContender(KvEntry contender) {
        return List.of(delete(contender));
    }

    /** Deletes an idle key. */
    public List<KvOp> forget(KeyView view) {
        List<KvOp> operations = new ArrayList<>();
        operations.add(sequenceUnchanged(view));
        KvEntry lock = view.lock();
        if (lock != null) {
            operations.add(delete(lock));
        }
        List<KvEntry> left = new ArrayList<>();
        view.endedTickets().forEach(each -> left.add(each.entry()));
        view.endedSlots().stream().filter(each -> !each.isLock(view.path())).forEach(each -> left.add(each.entry()));
        operations.addAll(delete(left.stream().limit(MAX_DELETED).toList()));
        KvEntry sequence = view.entry(view.path().sequence());
        if (sequence != null) {
            operations.add(delete(sequence));
        }
        return operations;
    }
}
