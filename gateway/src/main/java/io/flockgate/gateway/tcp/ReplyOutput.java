package io.flockgate.gateway.tcp;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.net.WriteWatch;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.storage.Grant;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Writes replies to one client's socket, all replies to one read in one write. On one event loop
 * only.
 */
final class ReplyOutput {
    /**
     * The memory of a write besides its bytes, until its client has read those of the writes before
     * it.
     */
    private static final int BYTES_OF_A_WRITE = 300;

    private static final String SILENT = "client does not read its replies";

    private final ReplyBuffer replies;
    private final ReplyBuffer.Target sink;
    private final Wire wire;
    private final LockSession session;
    private final WriteWatch writes;
    private final Budget.Share unsent;
    private final BooleanSupplier operator;
    private final Consumer<String> aborted;

    /** The memory of the writes that have not left. */
    private int waiting;

    /**
     * The grants of a detached client whose replies the operating system has not accepted yet. If
     * the connection ends before that, the session releases these grants, because their client does
     * not know the tokens. Empty for other clients.
     */
    private final Deque<Grant> undelivered = new ArrayDeque<>(1);

    /** The number of these grants whose replies the next write contains. */
    private int gathered;

    /**
     * Creates the output of a connection.
     *
     * @param operator whether the client may use the budget's reserve
     * @param aborted ends the connection, for the given reason, because the client does not read
     *     its replies in time, or there is no memory for them
     */
    ReplyOutput(TcpLoop shared, Wire wire, LockSession session, BooleanSupplier operator, Consumer<String> aborted) {
        this.unsent = shared.budget().share();
        this.operator = operator;
        this.aborted = aborted;
        this.replies = shared.replies;
        this.sink = wire::add;
        this.wire = wire;
        this.session = session;
        this.writes = new WriteWatch(shared.loop, shared.writeTimeout(), () -> aborted.accept(SILENT));
    }

    /**
     * Takes the replies gathered on the event loop, which are this client's, because the next ones
     * may be another client's.
     */
    void take() {
        replies.moveTo(sink);
    }

    /** Notes an outcome whose reply the next write contains. */
    void note(Outcome outcome) {
        Grant grant = outcome.grant();
        if (grant != null && session.client().info().detached()) {
            undelivered.add(grant);
            gathered++;
        }
    }

    /** Writes the replies taken and gathered so far. The future completes when they have left. */
    @CanIgnoreReturnValue
    Future<Void> flush() {
        take();
        int bytes = wire.gathered();
        Future<Void> written = wire.flush();
        if (!written.isComplete()) {
            limit(bytes, written);
        }
        return watch(written);
    }

    private Future<Void> watch(Future<Void> written) {
        writes.note(written);
        if (gathered == 0) {
            return written;
        }
        int sent = gathered;
        gathered = 0;
        return written.onSuccess(ignored -> {
            for (int i = 0; i < sent; i++) {
                undelivered.remove();
            }
        });
    }

    private void limit(int bytes, Future<Void> written) {
        int memory = BYTES_OF_A_WRITE + bytes;
        waiting += memory;
        boolean fits = unsent.keep(waiting, operator.getAsBoolean());
        Future<Void> unused = written.onComplete(ignored -> {
            waiting -= memory;
            boolean unusedLess = unsent.keep(waiting, true);
        });
        if (!fits) {
            aborted.accept(SILENT + ", and the unread replies of all clients take too much memory");
        }
    }

    /**
     * Writes the replies gathered so far and a part of a report. The number of reports that clients
     * do not read is limited elsewhere.
     */
    Future<Void> write(Buffer part) {
        take();
        byte[] bytes = part.getBytes();
        wire.add(bytes, bytes.length);
        return watch(wire.flush());
    }

    /** Stops writing, because the connection has ended. Returns the undelivered grants. */
    List<Grant> closed() {
        writes.stop();
        wire.ended();
        return List.copyOf(undelivered);
    }
}
