package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Queued;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** Takes tickets out of one key's queue. For the key's own thread only. */
final class ReturnedTickets {
    private static final int TRIES = 8;

    /** So many tickets that were taken back: a watch may show them still. */
    private static final int REMEMBERED = 1_000;

    private final Node node;
    private final KeyStore store;

    /** By name, with the CreateIndex: a write that comes late may make a ticket of the same name anew. */
    private final Map<String, Long> takenBack = new HashMap<>();

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
            Queued ticket = view.ticket(name).orElse(null);
            if (ticket == null || dequeue(ticket, deadline)) {
                return;
            }
            view = null;
        }
    }

    /** Takes a ticket out, whosoever it is; false when it has changed. */
    boolean dequeue(Queued ticket, long deadline) {
        Written written = store.write(
                node.moves().dequeue(ticket),
                after -> after.ticket(ticket.name()).isEmpty(),
                deadline);
        if (written instanceof Written.Done) {
            if (takenBack.size() >= REMEMBERED) {
                takenBack.clear();
            }
            takenBack.put(ticket.name(), ticket.entry().createIndex());
            return true;
        }
        return false;
    }

    /** Takes back the tickets of this process that nobody here knows of. */
    void tidy(KeyView view, Predicate<String> known, long deadline) {
        for (Queued ticket : view.queue()) {
            boolean mine = node.settings().isMine(ticket.mark().gateway());
            Long gone = takenBack.get(ticket.name());
            boolean seenLate = gone != null && gone == ticket.entry().createIndex();
            if (mine && !known.test(ticket.name()) && !seenLate) {
                boolean unused = dequeue(ticket, deadline);
            }
        }
    }
}
