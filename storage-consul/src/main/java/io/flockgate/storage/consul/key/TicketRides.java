package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.storage.consul.key.TicketWriter.NewTicket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The new tickets of one key that wait to be written together with another change of this gateway.
 * Then they cost no entry of their own in Consul's log. For the key's own thread only.
 *
 * <ol>
 *   <li>A ticket waits if the key changes hands quickly, somebody else is in front, and this
 *       gateway has a slot or a waiter there. So this gateway soon frees a slot.
 *   <li>The transaction that frees that slot makes the waiting tickets as well. It returns
 *       everything below the prefix.
 *   <li>If Consul refuses that transaction, the tickets go on waiting. If a session has ended,
 *       {@link TicketWriter} writes them.
 *   <li>If its result is unknown, and another gateway frees the slot, it has no effect. {@link
 *       TicketWriter} writes the tickets.
 *   <li>It also writes them after 100 ms, or when they have no reason to wait any more.
 * </ol>
 */
final class TicketRides {
    /** With a hand-over of seven operations these stay below Consul's 64. */
    private static final int MAX_WAITING = 16;

    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final KeyContext key;
    private final TicketWriter writer;
    private final List<NewTicket> waiting = new ArrayList<>();
    private long since;

    TicketRides(KeyContext key) {
        this.key = key;
        this.writer = new TicketWriter(key);
    }

    /**
     * Takes a new ticket, which counts as being enqueued already. It is written after all earlier
     * ones.
     */
    void add(NewTicket ticket) {
        boolean behindNone = key.waiters.enqueuing() == waiting.size() + 1;
        if (waiting.isEmpty()) {
            since = key.environment.now();
        }
        waiting.add(ticket);
        if (!behindNone || waiting.size() > MAX_WAITING || !hasReason()) {
            writeAll();
        }
    }

    private boolean hasReason() {
        KeyView last = key.store.last();
        return last != null && key.store.isQuick() && last.head().isPresent() && willFree(last);
    }

    private boolean willFree(KeyView last) {
        return key.waiters.hasQueued() || last.slots().stream().anyMatch(slot -> key.settings.isMine(slot.mark()));
    }

    private void writeAll() {
        List<NewTicket> all = takeAll();
        all.forEach(writer::write);
    }

    private List<NewTicket> takeAll() {
        List<NewTicket> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /** Writes the tickets by themselves if it is time. */
    void writeDue() {
        if (!waiting.isEmpty() && (nextDue() <= 0 || !hasReason())) {
            writeAll();
        }
    }

    /**
     * The nanoseconds until {@link #writeDue} has to be called; {@code Long.MAX_VALUE} for never.
     */
    long nextDue() {
        return waiting.isEmpty() ? Long.MAX_VALUE : since + PATIENCE_NANOS - key.environment.now();
    }

    /**
     * Writes a change of this key, and the waiting tickets with it.
     *
     * @param write writes the operations with a certain result
     */
    WriteOutcome write(List<KvOp> change, Function<List<KvOp>, WriteOutcome> write) {
        List<KvOp> operations = waiting.isEmpty() ? change : withTickets(change);
        WriteOutcome outcome;
        try {
            outcome = write.apply(operations);
        } catch (RuntimeException | Error e) {
            fail(new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the ticket's transaction has no certain result", e));
            throw e;
        }
        switch (outcome) {
            case WriteOutcome.Done done -> takeAll().forEach(ticket -> written(ticket, done));
            case WriteOutcome.Refused refused -> {
                if (refused.byInvalidSession()) {
                    writeAll();
                }
            }
        }
        return outcome;
    }

    /**
     * The slot may be free by a write of another gateway. Then the ticket is not there, and is
     * written by itself.
     */
    private void written(NewTicket ticket, WriteOutcome.Done done) {
        if (ticket.waiter().isSeenIn(done.view())) {
            ticket.listener().written(done);
        } else {
            writer.write(ticket);
        }
    }

    private List<KvOp> withTickets(List<KvOp> change) {
        String session;
        try {
            session = key.sessions.lockSession();
        } catch (ConsulException e) {
            writeAll();
            return change;
        }
        List<KvOp> operations = new ArrayList<>(change);
        operations.addAll(TicketWriter.operations(key, TicketWriter.waiters(waiting), session));
        return operations;
    }

    private void fail(ConsulException e) {
        tell(listener -> listener.failed(e));
    }

    private void tell(Consumer<TicketWriter.TicketListener> news) {
        takeAll().forEach(ticket -> news.accept(ticket.listener()));
    }

    /** Ends all waits, because the storage is closed. */
    void close() {
        fail(new ConsulException(FailureKind.CLOSED, Effect.NOT_DONE, "closed"));
    }
}
