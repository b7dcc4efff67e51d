package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ConnectionCounter;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.gateway.net.MemoryBudget;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.net.RefusedClients;
import io.flockgate.gateway.net.Tls;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of one event loop, and the parts that they share. On that event loop only. */
final class HttpLoop {
    private static final Logger LOG = LoggerFactory.getLogger(HttpLoop.class);

    private final EventLoop loop;
    private final HttpLimits limits;
    private final @Nullable Tls tls;
    private final GatewayMetrics metrics;
    private final ConnectionCounter counter;
    private final RefusedClients refused;
    private final Routes routes;
    private final RequestResources resources;
    private final Handler<Throwable> failed;
    private final MemoryBudget heads;
    private final Map<HttpConnection, ClientConnection> connections = new HashMap<>();

    /**
     * @param tls null for a port without TLS
     * @param counter counts the connections of all event loops
     * @param refused notified of connections that a cap refuses
     * @param router gets the routes of the loop
     * @param errors the replies to failures before a route is found
     * @param failed receives the failures of TLS handshakes
     */
    HttpLoop(
            EventLoop loop,
            HttpLimits limits,
            @Nullable Tls tls,
            GatewayMetrics metrics,
            ConnectionCounter counter,
            RefusedClients refused,
            Router router,
            ErrorReplies errors,
            Handler<Throwable> failed,
            int eventLoops) {
        this.loop = loop;
        this.limits = limits;
        this.tls = tls;
        this.metrics = metrics;
        this.counter = counter;
        this.refused = refused;
        this.routes = new Routes(router, this::serve);
        this.resources = new RequestResources(loop, metrics, errors, eventLoops);
        this.heads = MemoryBudget.ofHeads(Runtime.getRuntime().maxMemory(), eventLoops);
        this.failed = failed;
    }

    EventLoop loop() {
        return loop;
    }

    HttpLimits limits() {
        return limits;
    }

    GatewayMetrics metrics() {
        return metrics;
    }

    Routes routes() {
        return routes;
    }

    RequestResources resources() {
        return resources;
    }

    /** The memory for large heads. */
    MemoryBudget heads() {
        return heads;
    }

    /** Admits a new connection, or closes it. */
    void accept(HttpConnection connection) {
        String address = PeerAddress.ip(connection.remoteAddress());
        Entry entry = counter.enter(address);
        if (entry != Entry.ADMITTED) {
            refused.refused(entry, address, loop.now());
            metrics.refused(entry == Entry.TOO_MANY ? "http_max_connections" : "http_max_connections_per_ip");
            Future<Void> unused = connection.close();
            return;
        }
        ClientConnection client = new ClientConnection(this, connection, address);
        connections.put(connection, client);
        connection.exceptionHandler(cause -> Logging.connectionFailed(LOG, cause)
                .addKeyValue("peer", connection.remoteAddress())
                .log("http connection failed"));
        connection.closeHandler(ignored -> {
            connections.remove(connection);
            client.closed();
            counter.leave(address);
        });
        if (tls != null) {
            Future<String> unused = tls.handshake(connection, address)
                    .onSuccess(client::certificate)
                    .onFailure(failed);
        }
    }

    /**
     * Counts the connections without a request in progress: those of an address group, or all for
     * null.
     */
    long countIdle(@Nullable String group) {
        return connections.values().stream()
                .filter(ClientConnection::isIdle)
                .filter(client ->
                        group == null || AddressGroup.of(client.address()).equals(group))
                .count();
    }

    void handle(HttpServerRequest request) {
        ClientConnection client = connections.get(request.connection());
        if (client == null) {
            Future<Void> unused = request.connection().close();
        } else {
            client.handle(request);
        }
    }

    private void serve(HttpServerRequest request, PathPattern path, AnswerForm form, RequestHandler handler) {
        ClientConnection client = connections.get(request.connection());
        if (client != null) {
            client.serve(path, form, handler);
        }
    }

    /** Answers bytes that Vert.x cannot parse as a request. The connection ends. */
    void handleInvalid(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.headersEndHandler(ignored -> {
            if (response.getStatusCode() == 414) {
                response.setStatusCode(431);
            }
            response.headers()
                    .set("Content-Length", "0")
                    .set("Date", resources.date())
                    .set("Connection", HttpHeaders.CLOSE);
        });
        HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER.handle(request);
    }
}
