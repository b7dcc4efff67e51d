package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.RequestDecoder;
import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of one event loop, and the parts that they share. On that event loop only. */
final class HttpLoop {
    private static final Logger LOG = LoggerFactory.getLogger(HttpLoop.class);

    private final EventLoop loop;
    private final HttpLimits limits;
    private final GatewayMetrics metrics;
    private final Routes routes;
    private final RequestResources resources;
    private final Map<HttpConnection, ClientConnection> connections = new HashMap<>();

    /**
     * @param router gets the routes of the loop
     * @param errors the replies to failures before a route is found
     */
    HttpLoop(
            EventLoop loop,
            HttpLimits limits,
            GatewayMetrics metrics,
            Router router,
            ErrorReplies errors,
            Budget budget) {
        this.loop = loop;
        this.limits = limits;
        this.metrics = metrics;
        this.routes = new Routes(router, this::serve);
        this.resources = new RequestResources(loop, metrics, errors, budget);
    }

    EventLoop loop() {
        return loop;
    }

    HttpLimits limits() {
        return limits;
    }

    Routes routes() {
        return routes;
    }

    RequestResources resources() {
        return resources;
    }

    /** Begins to serve a new connection. */
    void accept(HttpConnection connection) {
        ClientConnection client = new ClientConnection(this, connection);
        connections.put(connection, client);
        connection.exceptionHandler(cause -> Logging.connectionFailed(LOG, cause)
                .addKeyValue("peer", connection.remoteAddress())
                .log("http connection failed"));
        connection.closeHandler(ignored -> {
            connections.remove(connection);
            client.closed();
        });
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

    /** Answers what is not a request that can be decoded. The connection ends. */
    void handleInvalid(HttpServerRequest request) {
        int status = RequestDecoder.statusOf(request);
        if (status == 503) {
            metrics.refused("overloaded");
        }
        HttpServerResponse response = request.response();
        response.setStatusCode(status)
                .headersEndHandler(ignored -> response.headers()
                        .set("Content-Length", "0")
                        .set("Date", resources.date())
                        .set("Connection", HttpHeaders.CLOSE));
        Future<Void> unused = response.end();
        Future<Void> unusedEnd = request.connection().close();
    }
}
