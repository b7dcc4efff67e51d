package io.flockgate.gateway.tcp;

import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.net.WriteWatch;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.BooleanSupplier;

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

    private final ReplyBuffer replies;
    private final ReplyBuffer.Target sink;
    private final Wire wire;
    private final WriteWatch writes;
    private final Budget.Share unsent;
    private final BooleanSupplier operator;
    private final Runnable tooMuch;

    /** The memory of the writes that have not left. */
    private int waiting;

    /**
     * Creates the output of a connection.
     *
     * @param operator whether the client may use the budget's reserve
     * @param timedOut runs when the client does not read in time what was written
     * @param tooMuch runs when there is no memory for replies that the client does not read
     */
    ReplyOutput(TcpLoop shared, Wire wire, BooleanSupplier operator, Runnable timedOut, Runnable tooMuch) {
        this.unsent = shared.budget().share();
        this.operator = operator;
        this.tooMuch = tooMuch;
        this.replies = shared.replies();
        this.sink = wire::add;
        this.wire = wire;
        this.writes = new WriteWatch(shared.loop(), shared.writeTimeout(), timedOut);
    }

    /**
     * Takes the replies gathered on the event loop, which are this client's, because the next ones
     * may be another client's.
     */
    void take() {
        replies.moveTo(sink);
    }

    /** Writes the replies taken and gathered so far. The future completes when they have left. */
    Future<Void> flush() {
        take();
        int bytes = wire.gathered();
        Future<Void> written = wire.flush();
        if (!written.isComplete()) {
            limit(bytes, written);
        }
        writes.note(written);
        return written;
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
            tooMuch.run();
        }
    }

    /**
     * Writes a part of a report. The number of reports that clients do not read is limited
     * elsewhere.
     */
    Future<Void> write(Buffer part) {
        byte[] bytes = part.getBytes();
        wire.add(bytes, bytes.length);
        take();
        Future<Void> written = wire.flush();
        writes.note(written);
        return written;
    }

    /** Stops writing, because the connection has ended. */
    void closed() {
        writes.stop();
        wire.ended();
    }
}
