package io.flockgate.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** An answer whose parts come one by one, until somebody ends it. On its connection's event loop only. */
public final class StreamReply {
    private final HttpExchange exchange;
    private final HttpServerResponse response;
    private final boolean last;
    private boolean ended;

    StreamReply(HttpExchange exchange, HttpServerResponse response, boolean last) {
        this.exchange = exchange;
        this.response = response;
        this.last = last;
    }

    /** Writes a part. The future completes when it has left. Write the next one then, so that a slow client fills no memory. */
    public Future<Void> write(Buffer part) {
        return ended || exchange.isClientGone() ? Future.failedFuture("nobody to answer") : response.write(part);
    }

    /** Ends the answer, unless the client has gone. */
    public void end() {
        if (!ended && !exchange.isClientGone()) {
            ended = true;
            Future<Void> unused = exchange.endStreaming(last);
        }
    }
}
