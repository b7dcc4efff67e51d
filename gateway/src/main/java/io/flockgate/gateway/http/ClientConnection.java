package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.LazyTimer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP port: keeps its time limits, and feeds the body of the present request. Vert.x gives one request
 * after the other. On one event loop only.
 */
final class ClientConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    private final HttpWorker worker;
    private final HttpConnection connection;
    private final String address;
    private final LazyTimer idleTimer;
    private final LazyTimer bodyTimer;
    private @Nullable HttpExchange exchange;

    /** The body of the present request has not come whole. */
    private boolean receiving;

    private int skipped;

    /** The last answer has been given. */
    private boolean ending;

    ClientConnection(HttpWorker worker, HttpConnection connection, String address) {
        this.worker = worker;
        this.connection = connection;
        this.address = address;
        this.idleTimer = new LazyTimer(worker.loop(), this::close);
        this.bodyTimer = new LazyTimer(worker.loop(), this::bodyTimedOut);
        idleTimer.set(worker.limits().headerNanos());
    }

    /** Takes the next request. */
    void handle(HttpServerRequest request) {
        inTurn(() -> admit(request));
    }

    private void inTurn(Runnable work) {
        worker.loop().beginWork();
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("peer", address).setCause(e).log("request failed");
            fail();
        } finally {
            worker.loop().endWork();
        }
    }

    private void fail() {
        HttpExchange present = exchange;
        if (present == null || present.isAnswered()) {
            close();
        } else {
            present.fail();
        }
    }

    private void admit(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        if (ending) {
            // Vert.x gives a request that came before the last answer.
            close();
        } else if (response.writeQueueFull()) {
            // A client that reads no answers must not fill the memory with them.
            request.pause();
            response.drainHandler(ignored -> inTurn(() -> {
                response.drainHandler(null);
                request.resume();
                begin(request);
            }));
        } else {
            begin(request);
        }
    }

    private void begin(HttpServerRequest request) {
        idleTimer.clear();
        switch (RequestHead.read(request)) {
            case RequestHead head -> begin(request, head);
            case HeadReading.Refused refused -> refuse(request, refused);
        }
    }

    private void refuse(HttpServerRequest request, HeadReading.Refused refused) {
        LOG.atDebug()
                .addKeyValue("peer", address)
                .addKeyValue("status", refused.status())
                .log("request head refused");
        end();
        Reply reply = Reply.unreadable(refused.status(), refused.reason());
        boolean http10 = request.version() == HttpVersion.HTTP_1_0;
        new ResponseHead(http10, false, true, List.of(), worker.date()).set(request.response(), reply);
        Future<Void> unused = request.response().end(Buffer.buffer(reply.body()));
    }

    private void begin(HttpServerRequest request, RequestHead head) {
        long length = head.contentLength();
        HttpExchange begun = new HttpExchange(worker, this, request, head);
        exchange = begun;
        receiving = length != 0;
        skipped = 0;
        if (receiving) {
            request.handler(content -> inTurn(() -> received(begun, content)));
            request.endHandler(ignored -> inTurn(() -> receivedAll(begun)));
            request.exceptionHandler(ignored -> begun.bodyFailed("malformed chunked coding"));
            bodyTimer.set(worker.limits().bodyNanos());
        }
        request.response().closeHandler(ignored -> inTurn(begun::clientHasGone));
        worker.handler().handle(begun, head);
        if (receiving) {
            begun.announced(length);
        } else {
            begun.bodyComplete();
        }
    }

    private void received(HttpExchange present, Buffer content) {
        if (present.wantsBody()) {
            present.received(content);
            return;
        }
        skipped += content.length();
        if (skipped > HttpLimits.MAX_SKIPPED_BYTES && present.isAnswered()) {
            end();
        }
    }

    private void receivedAll(HttpExchange present) {
        receiving = false;
        bodyTimer.clear();
        if (present.isAnswered()) {
            answered();
        } else {
            present.bodyComplete();
        }
    }

    /** The present request has its answer. */
    void answered() {
        if (!receiving) {
            exchange = null;
            idleTimer.set(worker.limits().idleNanos());
        }
    }

    /** The next answer is the last: the connection ends with it, or a little later if the client is still sending. */
    void end() {
        ending = true;
        Future<Void> unused = connection.shutdown(HttpLimits.LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    void close() {
        Future<Void> unused = connection.close();
    }

    /** The client's IP address as text. */
    String address() {
        return address;
    }

    private void bodyTimedOut() {
        HttpExchange present = exchange;
        if (present == null || present.isAnswered()) {
            close();
        } else {
            present.bodyFailed("body not received in time");
        }
    }

    /** The connection has ended. */
    void closed() {
        idleTimer.stop();
        bodyTimer.stop();
    }
}
