package io.flockgate.gateway.tcp;

import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.net.WriteWatch;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Writes replies to one client's socket: all replies to one read in one write. On one event loop only. */
final class ReplyOutput {
    private final ReplyBuffer replies;
    private final ReplyBuffer.Target sink;
    private final Wire wire;
    private final WriteWatch writes;

    /** @param timedOut runs when the client does not take what was written */
    ReplyOutput(TcpLoop shared, Wire wire, Runnable timedOut) {
        this.replies = shared.replies();
        this.sink = wire::add;
        this.wire = wire;
        this.writes = new WriteWatch(shared.loop(), shared.writeTimeout(), timedOut);
    }

    /** Takes the replies gathered on the event loop: they are this client's, and the next ones may be another's. */
    void take() {
        replies.moveTo(sink);
    }

    /** Writes what has been taken and gathered. The future completes when it has left. */
    Future<Void> flush() {
        take();
        Future<Void> written = wire.flush();
        writes.note(written);
        return written;
    }

    /** Writes a part of a reply. */
    Future<Void> write(Buffer part) {
        byte[] bytes = part.getBytes();
        wire.add(bytes, bytes.length);
        return flush();
    }

    boolean isFull() {
        return wire.isFull();
    }

    /** The connection has ended. */
    void closed() {
        writes.stop();
        wire.ended();
    }
}
