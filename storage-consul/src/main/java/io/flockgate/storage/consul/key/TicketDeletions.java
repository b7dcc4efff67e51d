package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Deletes tickets of one key that are no longer places in its queue. For the key's own thread only.
 *
 * <ol>
 *   <li>The tickets of waiters that leave are deleted at once, or later if Consul does not answer.
 *       Many share a transaction. If it conflicts with another change, each gets its own.
 *   <li>In each new view, the tickets of this process that belong to no waiter are deleted: those
 *       from late writes, those of waiters that an operator has removed, and the notices of evicted
 *       grants.
 *   <li>A view may briefly show a deleted ticket. It is left alone, and the key is read again soon.
 *   <li>Tickets of this process whose session has ended are deleted, because their waiters get new
 *       ones. One gateway also deletes what dead gateways have left behind.
 * </ol>
 */
final class TicketDeletions {
    private static final int MAX_TRIES = 8;
    private static final int MAX_REMEMBERED = 1_000;

    /**
     * The time for which a view may still show a deleted ticket. If a later view shows it, a
     * snapshot was restored.
     */
    private static final long SHOWN_LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LocalKey key;
    private final CallRunner calls;
    private final Map<String, Deleted> deleted = new HashMap<>();

    /**
     * A ticket that this gateway has deleted.
     *
     * @param createIndex differs from that of a ticket of the same name that a late write may
     *     create
     */
    private record Deleted(long createIndex, long at) {}

    TicketDeletions(LocalKey key, CallRunner calls) {
        this.key = key;
        this.calls = calls;
    }

    /** Deletes the tickets of these names that exist. */
    void delete(List<String> names, long deadline) {
        KeyView view = key.store.last();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (view == null || !showsAll(view, names)) {
                view = key.store.read(deadline);
            }
            KeyView shown = view;
            List<QueuedTicket> tickets = names.stream()
                    .flatMap(each -> shown.ticketOrRemoved(each).stream())
                    .toList();
            if (deleteAll(tickets, deadline)) {
                return;
            }
            view = null;
        }
        repeatSoon();
    }

    private static boolean showsAll(KeyView view, List<String> names) {
        return names.stream().allMatch(each -> view.ticketOrRemoved(each).isPresent());
    }

    /** Makes the key be read again soon, or when Consul answers again, to delete a ticket. */
    void repeatSoon() {
        calls.unsettleIf(true);
    }

    /** Deletes tickets. Returns false if some have changed and may still exist. */
    private boolean deleteAll(List<QueuedTicket> tickets, long deadline) {
        boolean all = true;
        for (int from = 0; from < tickets.size(); from += Transactions.MAX_DELETED) {
            List<QueuedTicket> some = tickets.subList(from, Math.min(tickets.size(), from + Transactions.MAX_DELETED));
            if (!deleteSome(some, deadline)) {
                // One change must not keep the other tickets.
                for (QueuedTicket each : some) {
                    all &= some.size() > 1 && deleteSome(List.of(each), deadline);
                }
            }
        }
        return all;
    }

    /** Deletes tickets in one transaction. Returns false when one of them has changed. */
    private boolean deleteSome(List<QueuedTicket> tickets, long deadline) {
        if (!deleteEntries(tickets.stream().map(QueuedTicket::entry).toList(), deadline)) {
            return false;
        }
        if (deleted.size() + tickets.size() > MAX_REMEMBERED) {
            deleted.clear();
        }
        for (QueuedTicket ticket : tickets) {
            deleted.put(ticket.name(), new Deleted(ticket.entry().createIndex(), key.now()));
        }
        return true;
    }

    private boolean deleteEntries(List<KvEntry> entries, long deadline) {
        WriteOutcome outcome = key.store.write(
                key.transactions.delete(entries),
                after -> entries.stream().allMatch(each -> after.entry(each.key()) == null),
                deadline);
        return outcome instanceof WriteOutcome.Done;
    }

    /** Deletes the tickets in a view that are not places in the queue. */
    void tidy(KeyView view, long deadline) {
        List<QueuedTicket> left = Stream.concat(view.queue().stream(), view.removed().stream())
                .filter(ticket -> key.settings.isMine(ticket) && !key.waiters.has(ticket.name()))
                .toList();
        List<QueuedTicket> certain =
                left.stream().filter(ticket -> !isShownLate(ticket)).toList();
        // The others are left alone. After a restored snapshot no further change may show them, so
        // the key is read again soon.
        calls.unsettleIf(certain.size() < left.size());
        calls.unsettleIf(!deleteAll(certain, deadline));
        deleteEnded(view, deadline);
    }

    /** Deletes the tickets whose session has ended. */
    private void deleteEnded(KeyView view, long deadline) {
        List<KvEntry> ended = new ArrayList<>();
        boolean tidies = tidiesForOthers(view);
        for (QueuedTicket ticket : view.endedTickets()) {
            if (key.settings.isMine(ticket) ? !key.waiters.has(ticket.name()) : tidies) {
                ended.add(ticket.entry());
            }
        }
        if (tidies) {
            ended.addAll(view.endedLeftOver());
        }
        if (!ended.isEmpty()) {
            // The next view repeats it for the others, or after a conflict.
            boolean unused =
                    deleteEntries(ended.stream().limit(Transactions.MAX_DELETED).toList(), deadline);
        }
    }

    /**
     * Whether this gateway deletes tickets of dead gateways, as the gateway of the head, or of the
     * oldest slot if no claim waits.
     */
    private boolean tidiesForOthers(KeyView view) {
        return view.head()
                .map(key.settings::isMine)
                .orElseGet(() -> view.slots().stream()
                        .findFirst()
                        .filter(each -> key.settings.isMine(each.mark()))
                        .isPresent());
    }

    private boolean isShownLate(QueuedTicket ticket) {
        Deleted gone = deleted.get(ticket.name());
        return gone != null
                && gone.createIndex() == ticket.entry().createIndex()
                && key.now() - gone.at() < SHOWN_LATE_NANOS;
    }

    /** Forgets deleted tickets, because the key's indexes have restarted. */
    void indexesRestarted() {
        deleted.clear();
    }
}
