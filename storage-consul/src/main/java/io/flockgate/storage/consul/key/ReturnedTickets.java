package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Takes tickets out of one key's queue. For the key's own thread only. */
final class ReturnedTickets {
    private static final int TRIES = 8;

    /** So many tickets that were taken back: a watch may show them still. */
    private static final int REMEMBERED = 1_000;

    private final Node node;
    private final KeyStore store;

    /** For so long a view may show a ticket that is gone. Shown later, it is there: a snapshot was restored. */
    private static final long SHOWN_LATE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** @param createIndex a write that comes late may make a ticket of the same name anew */
    private record TakenBack(long createIndex, long at) {}

    /** By name. */
    private final Map<String, TakenBack> takenBack = new HashMap<>();

    ReturnedTickets(Node node, KeyStore store) {
        this.node = node;
        this.store = store;
    }

    /**
     * Takes back a ticket of this gateway, if it is still there.
     *
     * @throws ConsulException when that is not known by the deadline
     */
    void takeBack(String name, long deadline) {
        KeyView view = store.seen();
        for (int tries = 0; tries < TRIES; tries++) {
            if (view == null || view.ticket(name).isEmpty()) {
                view = store.read(deadline);
            }
            QueuedTicket ticket = view.ticket(name).orElse(null);
            if (ticket == null || dequeue(ticket, deadline)) {
                return;
            }
            view = null;
        }
    }

    /** Takes a ticket of this gateway out; false when it has changed. */
    boolean dequeue(QueuedTicket ticket, long deadline) {
        WriteOutcome written = store.write(
                node.transactions().dequeue(ticket),
                after -> after.ticket(ticket.name()).isEmpty(),
                deadline);
        if (written instanceof WriteOutcome.Done) {
            if (takenBack.size() >= REMEMBERED) {
                takenBack.clear();
            }
            takenBack.put(ticket.name(), new TakenBack(ticket.entry().createIndex(), node.now()));
            return true;
        }
        return false;
    }

    /** Indexes have begun anew: what is shown now is there. */
    void indexesRestarted() {
        takenBack.clear();
    }

    /** Takes back the tickets of this process that nobody here knows of. */
    void tidy(KeyView view, Predicate<String> known, long deadline) {
        for (QueuedTicket ticket : view.queue()) {
            boolean mine = node.settings().isMine(ticket.mark().gateway());
            if (mine && !known.test(ticket.name()) && !isShownLate(ticket)) {
                boolean unused = dequeue(ticket, deadline);
            }
        }
    }

    private boolean isShownLate(QueuedTicket ticket) {
        TakenBack gone = takenBack.get(ticket.name());
        return gone != null
                && gone.createIndex() == ticket.entry().createIndex()
                && node.now() - gone.at() < SHOWN_LATE_NANOS;
    }
}
