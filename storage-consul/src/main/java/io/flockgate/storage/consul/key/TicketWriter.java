package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.KeyPath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Where claims take their places: one ticket after the other, but beside all else that is done about the key. A ticket conflicts
 * with nothing, so that nothing need wait for it, least of all a slot that is to be freed. For the key's own thread only; what
 * it blocks is a thread of its own.
 */
final class TicketWriter {
    private final Node node;
    private final KeyStore store;
    private final SerialExecutor executor;

    /** By the names of their tickets. */
    private final Map<String, LocalWaiter> entering = new HashMap<>();

    TicketWriter(Node node, KeyPath path) {
        this.node = node;
        this.store = new KeyStore(node, path, () -> null);
        this.executor = new SerialExecutor(node.environment(), () -> {});
    }

    /** What became of a ticket. */
    sealed interface Entry {
        record Made(WriteOutcome.Done done) implements Entry {}

        record Failed(ConsulException cause) implements Entry {}
    }

    boolean isEmpty() {
        return entering.isEmpty();
    }

    int size() {
        return entering.size();
    }

    /** Whether a ticket of this name is about to be there. */
    boolean has(String name) {
        return entering.containsKey(name);
    }

    /** Whether such a ticket offers the grant with this nonce. */
    boolean offers(String nonce) {
        return entering.values().stream().anyMatch(waiter -> waiter.offersGrant(nonce));
    }

    /**
     * Writes a ticket, after those that came before; not after the deadline.
     *
     * @param ticket asked for when its turn has come, on another thread
     * @param then told what became of it, on another thread; {@link #left} is to be called next
     */
    void enter(LocalWaiter waiter, Supplier<List<KvOp>> ticket, long deadline, Consumer<Entry> then) {
        entering.put(waiter.name(), waiter);
        boolean unused = executor.execute(() -> then.accept(write(waiter, ticket, deadline)));
    }

    private Entry write(LocalWaiter waiter, Supplier<List<KvOp>> ticket, long deadline) {
        if (node.now() - deadline >= 0) {
            return new Entry.Failed(
                    new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many wait for their tickets"));
        }
        try {
            return switch (store.write(ticket.get(), waiter::isSeenIn, deadline)) {
                case WriteOutcome.Done done -> new Entry.Made(done);
                case WriteOutcome.Refused refused -> new Entry.Failed(sessionEnded());
            };
        } catch (ConsulException e) {
            return new Entry.Failed(e);
        } catch (RuntimeException | Error e) {
            return new Entry.Failed(new ConsulException(FailureKind.INVALID, Effect.UNKNOWN, "a ticket failed", e));
        }
    }

    static ConsulException sessionEnded() {
        return new ConsulException(
                FailureKind.UNAVAILABLE, Effect.NOT_DONE, "the session that tickets are held by has ended");
    }

    /** It waits in the queue now, or nowhere. */
    void left(LocalWaiter waiter) {
        entering.remove(waiter.name(), waiter);
    }

    void close() {
        entering.clear();
    }
}
