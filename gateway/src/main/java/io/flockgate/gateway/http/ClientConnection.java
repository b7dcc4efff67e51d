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
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP port. It disconnects a client that is too slow, and passes the body to
 * the current request. {@link RequestDecoder} passes on one request at a time. Confined to one
 * event loop.
 */
final class ClientConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    /** Maximum length of a body that is read and discarded; a longer one ends the connection. */
    private static final int MAX_SKIPPED_BYTES = 256 * 1024;

    /** The time in which a client that is still sending can read its last answer. */
    private static final long LINGER_MILLIS = 500;

    private final HttpLoop shared;
    private final HttpConnection connection;
    private final RequestDecoder decoder;
    private final Client client;

    /** The time for the next head, or for the body of the current request. */
    private final LazyTimer timer;

    /** The answer to the current request. */
    private @Nullable Responder current;

    /** The body of the current request has not fully arrived. */
    private boolean receiving;

    private int skipped;

    /** The connection accepts no further request. */
    private boolean ending;

    ClientConnection(HttpLoop shared, HttpConnection connection) {
        this.shared = shared;
        this.connection = connection;
        this.client = new Client(
                connection.remoteAddress(),
                PeerAddress.ip(connection.remoteAddress()),
                CertificateName.of(connection.sslSession()),
                localAddress(connection));
        this.timer = new LazyTimer(shared.loop, this::timedOut);
        this.decoder = RequestDecoder.of(connection, HttpLoop.HEADS, shared.budget.share());
        timer.set(shared.headerNanos);
    }

    private static String localAddress(HttpConnection connection) {
        SocketAddress local = connection.localAddress();
        String text = local == null ? null : local.hostAddress();
        return text == null ? "" : text;
    }

    /** Accepts the next request. */
    void handle(HttpServerRequest request) {
        inTurn(() -> {
            if (ending) {
                close();
            } else {
                begin(request);
            }
        });
    }

    private void inTurn(Runnable work) {
        shared.loop.beginWork();
        try {
            work.run();
        } catch (FaultException e) {
            refuse(e);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("peer", connection.remoteAddress())
                    .setCause(e)
                    .log("request failed");
            fail();
        } finally {
            shared.loop.endWork();
        }
    }

    private void refuse(FaultException fault) {
        if (current != null) {
            current.refuse(fault);
        }
    }

    private void fail() {
        Responder present = current;
        if (present == null || present.isAnswered()) {
            close();
        } else {
            present.fail();
        }
    }

    /** A reply has been written. The next request is not decoded before it has been sent. */
    void replied(Future<Void> write) {
        decoder.answered(write);
    }

    private void begin(HttpServerRequest request) {
        timer.clear();
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
        shared.refuse(request, refused.status(), refused.reason());
    }

    private void begin(HttpServerRequest request, RequestHead head) {
        long length = head.contentLength();
        Routes.Match route = shared.routes.of(request);
        Responder begun = new Responder(shared, this, head, route, request.response());
        current = begun;
        receiving = length != 0;
        skipped = 0;
        if (receiving) {
            request.handler(content -> inTurn(() -> received(begun, content)));
            request.endHandler(ignored -> inTurn(() -> receivedAll(begun)));
            request.exceptionHandler(ignored -> begun.bodyFailed("malformed chunked coding"));
            timer.set(shared.bodyNanos);
        }
        request.response().closeHandler(ignored -> inTurn(begun::clientHasGone));
        HttpRequest routed =
                new HttpRequest(head, client, route.path().cut(head.target().path()), null);
        route.handler().handle(routed, begun);
        if (receiving) {
            begun.announced(length);
        } else {
            begun.bodyComplete();
        }
    }

    private void received(Responder present, Buffer content) {
        if (present.received(content)) {
            return;
        }
        skipped += content.length();
        if (skipped > MAX_SKIPPED_BYTES && present.isAnswered()) {
            end();
        }
    }

    private void receivedAll(Responder present) {
        receiving = false;
        timer.clear();
        if (present.isAnswered()) {
            exchangeAnswered();
        } else {
            present.bodyComplete();
        }
    }

    /**
     * The current request has its answer. Once its body is also complete, the connection waits for
     * the next request.
     */
    void exchangeAnswered() {
        if (!receiving) {
            current = null;
            timer.set(HttpLoop.IDLE_NANOS);
        }
    }

    /**
     * Ends the connection after the answer that is being written, or after the last one. A client
     * that is still sending gets a little more time.
     */
    void end() {
        ending = true;
        Future<Void> unused = connection.shutdown(LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    void close() {
        Future<Void> unused = connection.close();
    }

    private void timedOut() {
        Responder present = current;
        if (present == null || present.isAnswered()) {
            close();
        } else {
            present.bodyFailed("body not received in time");
        }
    }

    /** The connection has ended. */
    void closed() {
        timer.stop();
    }
}
