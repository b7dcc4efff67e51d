package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.EventLoop;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/**
 * The answer to {@code stats}: one line, written in parts as the storage is read, so that a million keys neither stall the
 * event loop nor stand in memory as one line. A short one leaves in one write. On one event loop only.
 */
final class StatsReply {
    /** How much is gathered before it is written, and other connections get their turn. */
    private static final int PART = 32 * 1024;

    private final EventLoop loop;
    private final StatsJson json;
    private final Function<Buffer, Future<Void>> socket;
    private final Promise<Void> written = Promise.promise();
    private Buffer part = Buffer.buffer("ok ");
    private boolean begun;

    /** @param socket takes bytes; its future completes when they have left */
    StatsReply(EventLoop loop, LockStorage storage, int connections, Function<Buffer, Future<Void>> socket) {
        this.loop = loop;
        this.json = new StatsJson(storage, connections);
        this.socket = socket;
    }

    /** The future completes on the event loop when the last part has left. */
    Future<Void> write() {
        goOn();
        return written.future();
    }

    /** Whether the client may have got a part of the reply. */
    boolean begun() {
        return begun;
    }

    private void goOn() {
        try {
            gather();
        } catch (RuntimeException e) {
            written.fail(e);
        }
    }

    private void gather() {
        while (json.hasNext() && part.length() < PART) {
            Future<Buffer> next = json.next();
            if (!next.succeeded()) {
                next.onComplete(text -> loop.post(() -> add(text)), cause -> loop.post(() -> written.fail(cause)));
                return;
            }
            part.appendBuffer(next.result());
        }
        if (json.hasNext()) {
            send().onComplete(ignored -> loop.post(this::goOn), written::fail);
        } else {
            part.appendString("\n");
            send().onComplete(written);
        }
    }

    private void add(Buffer text) {
        part.appendBuffer(text);
        goOn();
    }

    private Future<Void> send() {
        Buffer full = part;
        part = Buffer.buffer();
        begun = true;
        return socket.apply(full);
    }
}
