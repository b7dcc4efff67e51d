package io.flockgate.bench.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * Vert.x's own HTTP server with fixed answers to the requests of a lock. It looks up no key and
 * parses no body, but reads each body to its end, as any server must. It runs one event loop, and
 * its answers have the bytes of real ones.
 */
public final class BareHttpServer {
    private static final int BACKLOG = 4096;
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence TYPE_OPTIONS = HttpHeaders.createOptimized("x-content-type-options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final Buffer SESSION =
            Buffer.buffer("{\"session_id\":\"00112233445566778899aabbccddeeff\",\"idle_timeout_s\":20}\n");
    private static final Buffer GRANT =
            Buffer.buffer("{\"status\":\"ok\",\"token\":\"00112233445566778899aabbccddeeff\",\"lease_ttl_s\":10}\n");

    private BareHttpServer() {}

    /**
     * Serves 127.0.0.1 on the given port, an ephemeral one by default, until the process ends, and
     * reports the port on standard output as "listening PORT". Exits with status 1 if it cannot.
     */
    public static void main(String[] args) {
        int port = args.length == 0 ? 0 : Integer.parseInt(args[0]);
        Vertx vertx =
                Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
        if (!vertx.isNativeTransportEnabled()) {
            // A slower yardstick would flatter what is measured against it.
            fail(new IllegalStateException("no native transport", vertx.unavailableNativeTransportCause()));
        }
        Future<HttpServer> unused = listen(vertx, port)
                .onSuccess(server -> System.out.println("listening " + server.actualPort()))
                .onFailure(BareHttpServer::fail);
    }

    private static void fail(Throwable cause) {
        System.err.println("bare: " + cause);
        System.exit(1);
    }

    /**
     * HTTP/1.1 only, because otherwise every connection's first request would be checked for an
     * upgrade to HTTP/2.
     */
    public static Future<HttpServer> listen(Vertx vertx, int port) {
        return vertx.createHttpServer(
                        new HttpServerOptions().setHttp2ClearTextEnabled(false).setAcceptBacklog(BACKLOG))
                .requestHandler(request -> {
                    Future<Buffer> unused = request.body().onSuccess(ignored -> answer(request));
                })
                .listen(port, "127.0.0.1");
    }

    private static void answer(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        String path = request.uri();
        Future<Void> unused;
        if (path.endsWith("/release") || request.method().equals(HttpMethod.DELETE)) {
            unused = response.setStatusCode(204).end();
        } else {
            response.headers().set(HttpHeaders.CONTENT_TYPE, JSON).set(TYPE_OPTIONS, NO_SNIFF);
            unused = response.end(path.equals("/v1/sessions") ? SESSION : GRANT);
        }
    }
}
