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
 * event loop nor stand in memory as one line.
 */
final class StatsReply {
    private final EventLoop loop;
    private final StatsJson json;
    private final NetSocket socket;
    private final Promise<Void> written = Promise.promise();

    StatsReply(EventLoop loop, LockStorage storage, int connections, NetSocket socket) {
        this.loop = loop;
        this.json = new StatsJson(storage, connections);
        this.socket = socket;
    }

    /** The future completes on the event loop when the last part has been handed to the socket. */
    Future<Void> write() {
        Future<Void> unused = socket.write("ok ");
        next();
        return written.future();
    }

    private void next() {
        json.next().onComplete(part -> loop.post(() -> send(part)), cause -> loop.post(() -> written.fail(cause)));
    }

    private void send(Buffer part) {
        if (part.length() == 0) {
            Future<Void> unused = socket.write("\n");
            written.complete();
            return;
        }
        Future<Void> sent = socket.write(part);
        if (socket.writeQueueFull()) {
            sent.onComplete(ignored -> next(), written::fail);
        } else {
            next();
        }
    }
}
