package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.function.Supplier;

/**
 * Writes the tickets of one key one after the other, on another thread than the key's own. A ticket conflicts with no other change
 * of the key, so no other change has to wait for it. Thread safe.
 */
final class TicketWriter {
    private final Environment environment;
    private final KeyStore store;
    private final SerialExecutor executor;

    /** @param store used by this writer only */
    TicketWriter(Environment environment, KeyStore store) {
        this.environment = environment;
        this.store = store;
        this.executor = new SerialExecutor(environment, () -> {});
    }

    /** Receives the result for one ticket, on the writer's thread. */
    interface TicketListener {
        void written(WriteOutcome.Done done);

        void failed(ConsulException e);
    }

    /**
     * Writes a ticket after all earlier ones, unless its deadline is over by then.
     *
     * @param ticket makes the operations when it is the ticket's turn
     */
    void write(LocalWaiter waiter, Supplier<List<KvOp>> ticket, long deadline, TicketListener listener) {
        boolean unused = executor.execute(() -> {
            WriteOutcome.Done done;
            try {
                done = write(waiter, ticket, deadline);
            } catch (ConsulException e) {
                listener.failed(e);
                return;
            } catch (RuntimeException | Error e) {
                listener.failed(new ConsulException(
                        FailureKind.INVALID, Effect.UNKNOWN, "unexpected failure while writing a ticket", e));
                return;
            }
            listener.written(done);
        });
    }

    private WriteOutcome.Done write(LocalWaiter waiter, Supplier<List<KvOp>> ticket, long deadline) {
        if (environment.now() - deadline >= 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many tickets have to be written first");
        }
        return switch (store.write(ticket.get(), waiter::isSeenIn, deadline)) {
            case WriteOutcome.Done done -> done;
            case WriteOutcome.Refused refused -> throw sessionEnded();
        };
    }

    static ConsulException sessionEnded() {
        return new ConsulException(
                FailureKind.UNAVAILABLE, Effect.NOT_DONE, "the session that holds the tickets has ended");
    }
}
