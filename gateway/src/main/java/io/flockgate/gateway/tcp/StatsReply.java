package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.EventLoop;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;

/**
 * The answer to {@code stats}: one line, written in parts as the storage is read, so that a million keys neither stall the
 * event loop nor stand in memory as one line. A short one leaves in one write. On one event loop only.
 */
final class StatsReply {
    /** How much is gathered before it is written, and other connections get their turn. */
    private static final int PART = 32 * 1024;

    private final EventLoop loop;
    private final StatsJson json;
    private final NetSocket socket;
    private final Promise<Void> written = Promise.promise();
    private Buffer part = Buffer.buffer("ok ");

    StatsReply(EventLoop loop, LockStorage storage, int connections, NetSocket socket) {
        this.loop = loop;
        this.json = new StatsJson(storage, connections);
        this.socket = socket;
    }

    /** The future completes when the last part has been handed to the socket. */
    Future<Void> write() {
        gather();
        return written.future();
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
            send().onComplete(ignored -> loop.post(this::gather), written::fail);
        } else {
            part.appendString("\n");
            Future<Void> unused = send();
            written.complete();
        }
    }

    private void add(Buffer text) {
        part.appendBuffer(text);
        gather();
    }

    private Future<Void> send() {
        Buffer full = part;
        part = Buffer.buffer();
        return socket.write(full);
    }
}
