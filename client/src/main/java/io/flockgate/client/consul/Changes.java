package io.flockgate.client.consul;

import io.flockgate.client.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that change a key. Each depends on the view that it was made from, and on the record of the cluster as its first
 * operation. Pure (protocol-docs/consul-layout.md, "Transactions").
 */
final class Changes {
    private final Layout layout;
    private final View view;

    Changes(Layout layout, View view) {
        this.layout = layout;
        this.view = view;
    }

    /** A grant that is prepared and not made yet. */
    record Pending(long limit, String session, Mark mark) {}

    private List<JsonObject> begin() {
        List<JsonObject> operations = new ArrayList<>();
        operations.add(Ops.unchanged(layout.record()));
        return operations;
    }

    /** Takes a free slot while nobody waits. */
    List<JsonObject> takeFree(Pending grant) {
        List<JsonObject> operations = begin();
        String sequence = view.path().sequence();
        operations.add(Ops.unchanged(sequence, view.entry(sequence)));
        take(grant, operations);
        return operations;
    }

    /** Gives a free slot to the head of the queue. */
    List<JsonObject> promote(Ticket head, Pending grant) {
        List<JsonObject> operations = begin();
        operations.add(Ops.unchanged(head.entry()));
        operations.add(Ops.delete(head.entry()));
        take(grant, operations);
        return operations;
    }

    private void take(Pending grant, List<JsonObject> operations) {
        KeyPath path = view.path();
        byte[] mark = grant.mark().json().toBytes();
        if (grant.limit() == 1) {
            operations.add(Ops.unchanged(path.lock(), view.lock()));
            operations.add(Ops.lock(path.lock(), Flags.MUTEX, mark, grant.session()));
        } else {
            Document document = view.document();
            Document base = document != null ? document : Document.empty(grant.limit(), layout.mapHolders());
            operations.add(Ops.lock(path.contender(grant.session()), Flags.SEMAPHORE, mark, grant.session()));
            operations.add(write(base.withHolders(holders(null, grant.session()))));
        }
    }

    private JsonObject write(Document document) {
        return Ops.cas(view.path().lock(), Flags.SEMAPHORE, document.toBytes(), view.lock());
    }

    /** The living holders, without the leaving one and with the new one. */
    private Set<String> holders(@Nullable Slot gone, @Nullable String comes) {
        Set<String> holders = new LinkedHashSet<>();
        for (Slot slot : view.slots()) {
            if (gone == null || !gone.session().equals(slot.session())) {
                holders.add(slot.session());
            }
        }
        if (comes != null) {
            holders.add(comes);
        }
        return holders;
    }

    /** Frees a slot. */
    List<JsonObject> free(Slot slot) {
        List<JsonObject> operations = begin();
        Document document = view.document();
        if (document != null) {
            operations.add(write(document.withHolders(holders(slot, null))));
            operations.add(Ops.delete(slot.entry()));
        } else if (slot.hasEnded()) {
            operations.add(Ops.cas(slot.entry().key(), Flags.MUTEX, new byte[0], slot.entry()));
        } else {
            operations.add(Ops.unchanged(slot.entry()));
            operations.add(Ops.unlock(slot.entry().key(), Flags.MUTEX, slot.session()));
        }
        return operations;
    }

    /** Writes a renewal into the holder's key. */
    List<JsonObject> renew(Slot slot, Mark renewed) {
        List<JsonObject> operations = begin();
        Entry entry = slot.entry();
        operations.add(Ops.unchanged(entry));
        operations.add(Ops.lock(entry.key(), entry.flags(), renewed.json().toBytes(), slot.session()));
        return operations;
    }

    /** Makes a ticket. It conflicts with nothing below the prefix. */
    List<JsonObject> enqueue(String name, byte[] ticket, String session) {
        List<JsonObject> operations = begin();
        // Unconditional. A late write only makes claims that saw an empty queue read again.
        operations.add(Ops.set(view.path().sequence(), name.getBytes(StandardCharsets.US_ASCII)));
        operations.add(Ops.absent(view.path().ticket(name)));
        operations.add(Ops.lock(view.path().ticket(name), Flags.NONE, ticket, session));
        return operations;
    }

    /** Deletes a ticket. */
    List<JsonObject> dequeue(Entry ticket) {
        List<JsonObject> operations = begin();
        operations.add(Ops.delete(ticket));
        return operations;
    }

    /** Deletes the ticket of a dead head, if the slot that it does not take is still free. */
    List<JsonObject> evict(Ticket head) {
        List<JsonObject> operations = begin();
        operations.add(Ops.unchanged(view.path().lock(), view.lock()));
        operations.add(Ops.delete(head.entry()));
        return operations;
    }

    /** Changes a ticket, to show that its waiter is alive although it cannot take its slot. */
    List<JsonObject> touch(Ticket ticket) {
        List<JsonObject> operations = begin();
        Entry entry = ticket.entry();
        String session = entry.session();
        operations.add(Ops.unchanged(entry));
        operations.add(Ops.lock(entry.key(), Flags.NONE, ticket.touched(), session == null ? "" : session));
        return operations;
    }
}
