package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.Channels;
import io.flockgate.gateway.net.RequestDecoder;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop, and what their requests share. On that event loop only, except
 * the budget.
 */
final class HttpLoop {
    /**
     * The limits of heads for Vert.x. A request line has at most 4 KiB, because that of a list with
     * all its filters, in escaped bytes, has about 2,500 bytes; all headers together have 16 KiB.
     */
    static final Http1ServerConfig HEADS =
            new Http1ServerConfig().setMaxInitialLineLength(4 * 1024).setMaxHeaderSize(16 * 1024);

    /** The time from an answer to the end of the next head. */
    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final Logger LOG = LoggerFactory.getLogger(HttpLoop.class);
    private static final long MAX_HEADER_NANOS = TimeUnit.SECONDS.toNanos(10);

    final EventLoop loop;
    final GatewayMetrics metrics;
    final Routes routes;

    /** The memory for heads, bodies and replies, which all connections share. */
    final Budget budget;

    /** The time from the beginning of a connection to the end of its first head. */
    final long headerNanos;

    /** The time from the end of a head to the end of its body. */
    final long bodyNanos;

    private final HttpDate date = new HttpDate(System::currentTimeMillis);
    private boolean draining;

    /** The value of the header {@code Date}, formatted at most once a second. */
    static final class HttpDate {
        private static final DateTimeFormatter FORMAT =
                DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);

        private final LongSupplier millis;
        private CharSequence text = "";
        private long second = -1;

        /**
         * @param millis the time of day, as {@link System#currentTimeMillis}
         */
        HttpDate(LongSupplier millis) {
            this.millis = millis;
        }

        CharSequence text() {
            long now = millis.getAsLong() / 1000;
            if (now != second) {
                second = now;
                text = HttpHeaders.createOptimized(
                        FORMAT.format(Instant.ofEpochSecond(now).atOffset(ZoneOffset.UTC)));
            }
            return text;
        }
    }

    /**
     * @param router gets the routes of the loop
     */
    HttpLoop(EventLoop loop, long readTimeoutNanos, GatewayMetrics metrics, Router router, Budget budget) {
        this.loop = loop;
        this.headerNanos = Math.min(MAX_HEADER_NANOS, readTimeoutNanos);
        this.bodyNanos = readTimeoutNanos;
        this.metrics = metrics;
        this.routes = new Routes(router);
        this.budget = budget;
    }

    CharSequence date() {
        return date.text();
    }

    boolean isDraining() {
        return draining;
    }

    /** From now on each answer is the last of its connection. */
    void drain() {
        draining = true;
    }

    /** Begins to serve a new connection. */
    void accept(HttpConnection connection) {
        ClientConnection client = new ClientConnection(this, connection);
        Channels.handleRequests(connection, client::handle);
        connection.exceptionHandler(cause -> Logging.connectionFailed(LOG, cause)
                .addKeyValue("peer", connection.remoteAddress())
                .log("http connection failed"));
        connection.closeHandler(ignored -> client.closed());
    }

    /** Answers what is not a request that can be decoded. The connection ends. */
    void handleInvalid(HttpServerRequest request) {
        int status = RequestDecoder.statusOf(request);
        if (status == 503) {
            metrics.refused("overloaded");
        }
        refuse(request, status, request.response().setStatusCode(status).getStatusMessage());
        Future<Void> unused = request.connection().close();
    }

    /** Answers in plain text what is not a request that this server understands. */
    void refuse(HttpServerRequest request, int status, String reason) {
        HttpServerResponse response = request.response();
        Buffer text = Buffer.buffer(status + " " + reason);
        response.setStatusCode(status)
                .headersEndHandler(ignored -> response.headers()
                        .set(Responder.CONTENT_TYPE, "text/plain; charset=utf-8")
                        .set(Responder.TYPE_OPTIONS, Responder.NO_SNIFF)
                        .set(Responder.CONTENT_LENGTH, Integer.toString(text.length()))
                        .set(Responder.DATE, date())
                        .set(Responder.CONNECTION, HttpHeaders.CLOSE));
        Future<Void> unused = response.end(text);
    }
}
