package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;

/**
 * Writes the tickets of one key in order, on a thread other than the key's own. A ticket conflicts
 * with no other change of the key, so no other change needs to wait for it. Thread safe.
 *
 * <ol>
 *   <li>A ticket that arrives while none is being written is written at once. Tickets that arrive
 *       in the meantime share the next transaction.
 *   <li>If Consul refuses tickets because their session has ended, they are written again under the
 *       next session.
 *   <li>A ticket whose deadline has passed before its turn is not written, unless Consul has
 *       recently accepted other tickets, so that the delay comes only from their number.
 * </ol>
 */
final class TicketWriter {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LocalKey key;
    private final KeyStore store;
    private final SerialExecutor executor;

    @GuardedBy("this")
    private final Queue<NewTicket> waiting = new ArrayDeque<>();

    /**
     * The time until which late tickets are still written after the last successful transaction.
     * Confined to the executor's thread.
     */
    private long patientUntil;

    TicketWriter(LocalKey key) {
        this.key = key;
        // A separate store, because that of the key is confined to the key's thread.
        this.store = new KeyStore(key.gateway, key.path, new PendingRead());
        this.executor = new SerialExecutor(key.environment, () -> {});
        this.patientUntil = key.now();
    }

    /**
     * A ticket to write.
     *
     * @param written completes on the writer's thread; fails with a {@link ConsulException}
     */
    record NewTicket(LocalWaiter waiter, long deadline, Promise<WriteOutcome.Done> written) {}

    /** Writes a ticket after all earlier ones. */
    void write(NewTicket ticket) {
        synchronized (this) {
            waiting.add(ticket);
        }
        boolean unused = executor.execute(this::writeNext);
    }

    private void writeNext() {
        List<NewTicket> batch = nextBatch();
        if (batch.isEmpty()) {
            return;
        }
        WriteOutcome.Done done;
        try {
            done = write(batch, later(batch.getFirst().deadline(), patientUntil));
        } catch (ConsulException e) {
            fail(batch, e);
            return;
        } catch (RuntimeException | Error e) {
            fail(
                    batch,
                    new ConsulException(
                            FailureKind.INVALID, Effect.UNKNOWN, "unexpected failure while writing a ticket", e));
            return;
        }
        patientUntil = done.sentAt() + PATIENCE_NANOS;
        batch.forEach(ticket -> ticket.written().complete(done));
    }

    private static void fail(List<NewTicket> tickets, ConsulException failure) {
        tickets.forEach(ticket -> ticket.written().fail(failure));
    }

    /** The next tickets for one transaction. Fails the tickets that are too late. */
    private List<NewTicket> nextBatch() {
        List<NewTicket> batch = new ArrayList<>();
        List<NewTicket> late = new ArrayList<>();
        long now = key.now();
        synchronized (this) {
            while (!waiting.isEmpty() && batch.size() < Transactions.MAX_TICKETS) {
                NewTicket next = waiting.remove();
                boolean inTime = now - later(next.deadline(), patientUntil) < 0;
                (inTime ? batch : late).add(next);
            }
        }
        fail(
                late,
                new ConsulException(
                        FailureKind.UNAVAILABLE, Effect.NOT_DONE, "Consul has not taken the tickets in front in time"));
        return batch;
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    private WriteOutcome.Done write(List<NewTicket> batch, long deadline) {
        for (String session = key.sessions.lockSession();
                ;
                session = key.sessions.lockSessionAfter(session, deadline)) {
            switch (store.write(
                    operations(key, waiters(batch), session),
                    view -> batch.stream().anyMatch(each -> each.waiter().isSeenIn(view)),
                    deadline)) {
                case WriteOutcome.Done done -> {
                    return done;
                }
                case WriteOutcome.Refused refused -> {
                    if (!refused.byInvalidSession()) {
                        throw notTaken();
                    }
                }
            }
        }
    }

    private static List<LocalWaiter> waiters(List<NewTicket> tickets) {
        return tickets.stream().map(NewTicket::waiter).toList();
    }

    /**
     * The operations that create the tickets of these waiters in order, and then read everything
     * below the key's prefix.
     */
    static List<KvOp> operations(LocalKey key, List<LocalWaiter> waiters, String session) {
        SequencedMap<String, TicketMark> marks = new LinkedHashMap<>();
        waiters.forEach(each -> marks.put(each.name(), each.mark(key.settings.process())));
        return key.transactions.enqueueAndRead(key.path, marks, session);
    }

    static ConsulException notTaken() {
        return new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "Consul has not taken the ticket");
    }
}
