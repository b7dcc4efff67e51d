package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.http.HttpRequest.Client;
import io.flockgate.gateway.net.CertificateName;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.net.RequestDecoder;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP port. It disconnects a client that is too slow, and passes the body to
 * the current request. {@link RequestDecoder} passes on one request at a time. Confined to one
 * event loop.
 */
final class ClientConnection implements Responder.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    private final HttpLoop shared;
    private final HttpConnection connection;
    private final LazyTimer idleTimer;
    private final LazyTimer bodyTimer;
    private final RequestDecoder decoder;
    private final Client client;
    private @Nullable Exchange exchange;

    /** The body of the current request has not fully arrived. */
    private boolean receiving;

    private int skipped;

    /** The connection accepts no further request. */
    private boolean ending;

    /** One request and the sender of its answer. */
    private record Exchange(HttpRequest request, Responder responder) {}

    ClientConnection(HttpLoop shared, HttpConnection connection) {
        this.shared = shared;
        this.connection = connection;
        this.client = new Client(
                connection.remoteAddress(),
                PeerAddress.ip(connection.remoteAddress()),
                CertificateName.of(connection.sslSession()),
                localAddress(connection));
        this.idleTimer = new LazyTimer(shared.loop(), this::close);
        this.bodyTimer = new LazyTimer(shared.loop(), this::bodyTimedOut);
        this.decoder = RequestDecoder.of(
                connection, HttpLimits.HEADS, shared.resources().budget().share());
        idleTimer.set(shared.limits().headerNanos());
    }

    private static String localAddress(HttpConnection connection) {
        SocketAddress local = connection.localAddress();
        String text = local == null ? null : local.hostAddress();
        return text == null ? "" : text;
    }

    /** Accepts the next request. */
    void handle(HttpServerRequest request) {
        inTurn(() -> admit(request));
    }

    private void inTurn(Runnable work) {
        shared.loop().beginWork();
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("peer", connection.remoteAddress())
                    .setCause(e)
                    .log("request failed");
            fail();
        } finally {
            shared.loop().endWork();
        }
    }

    private void fail() {
        Exchange present = exchange;
        if (present == null || present.responder().isAnswered()) {
            close();
        } else {
            present.responder().fail();
        }
    }

    private void admit(HttpServerRequest request) {
        if (ending) {
            close();
        } else {
            begin(request);
        }
    }

    /** The next request is not decoded before this. */
    @Override
    public void replied(Future<Void> write) {
        decoder.answered(write);
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
                .addKeyValue("peer", connection.remoteAddress())
                .addKeyValue("status", refused.status())
                .log("request head refused");
        end();
        Reply reply = Reply.unreadable(refused.status(), refused.reason());
        boolean http10 = request.version() == HttpVersion.HTTP_1_0;
        new ResponseHead(http10, false, true, List.of(), shared.resources().date()).set(request.response(), reply);
        Future<Void> unused = request.response().end(Buffer.buffer(reply.body()));
    }

    private void begin(HttpServerRequest request, RequestHead head) {
        long length = head.contentLength();
        Responder responder = new Responder(shared.resources(), this, request, head);
        RequestBody body = new RequestBody(shared.resources(), responder);
        Exchange begun = new Exchange(HttpRequest.of(head, client, body), responder);
        exchange = begun;
        receiving = length != 0;
        skipped = 0;
        if (receiving) {
            request.handler(content -> inTurn(() -> received(begun, content)));
            request.endHandler(ignored -> inTurn(() -> receivedAll(begun)));
            request.exceptionHandler(ignored -> body.failed("malformed chunked coding"));
            bodyTimer.set(shared.limits().bodyNanos());
        }
        request.response().closeHandler(ignored -> inTurn(() -> goneDuring(begun)));
        shared.routes().handle(request);
        if (receiving) {
            body.announced(length);
        } else {
            body.complete();
        }
    }

    private static void goneDuring(Exchange begun) {
        begun.request().body().drop();
        begun.responder().clientHasGone();
    }

    /** Lets the handler of a route answer the current request. */
    void serve(PathPattern path, AnswerForm form, RequestHandler handler) {
        Exchange present = exchange;
        if (present != null) {
            inTurn(() -> {
                present.responder().form(form);
                handler.handle(present.request().at(path), present.responder());
            });
        }
    }

    private void received(Exchange present, Buffer content) {
        if (present.request().body().isWanted()) {
            present.request().body().received(content);
            return;
        }
        skipped += content.length();
        if (skipped > HttpLimits.MAX_SKIPPED_BYTES && present.responder().isAnswered()) {
            end();
        }
    }

    private void receivedAll(Exchange present) {
        receiving = false;
        bodyTimer.clear();
        if (present.responder().isAnswered()) {
            exchangeAnswered();
        } else {
            present.request().body().complete();
        }
    }

    /**
     * The current request has its answer. Once its body is also complete, the connection waits for
     * the next request.
     */
    @Override
    public void exchangeAnswered() {
        if (exchange != null) {
            exchange.request().body().drop();
        }
        if (!receiving) {
            exchange = null;
            idleTimer.set(shared.limits().idleNanos());
        }
    }

    /**
     * Ends the connection after the answer that is being written, or after the last one. A client
     * that is still sending gets a little more time.
     */
    @Override
    public void end() {
        ending = true;
        Future<Void> unused = connection.shutdown(HttpLimits.LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        Future<Void> unused = connection.close();
    }

    private void bodyTimedOut() {
        Exchange present = exchange;
        if (present == null || present.responder().isAnswered()) {
            close();
        } else {
            present.request().body().failed("body not received in time");
        }
    }

    /** The connection has ended. */
    void closed() {
        idleTimer.stop();
        bodyTimer.stop();
    }
}
