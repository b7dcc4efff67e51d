package io.flockgate.example.fencing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A ledger behind HTTP: {@code POST /?fence=41} with a line as its body is answered with 204, or
 * with 409 if the fence is too old.
 */
final class LedgerServer implements AutoCloseable {
    private static final String PARAMETER = "fence=";
    private static final int WRITTEN = 204;
    private static final int TOO_OLD = 409;

    private final Ledger ledger;
    private final HttpServer server;

    LedgerServer(Ledger ledger) throws IOException {
        this.ledger = ledger;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::write);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    static URI withFence(URI address, long fence) {
        return address.resolve("?" + PARAMETER + Long.toUnsignedString(fence));
    }

    static boolean isWritten(int status) {
        return status == WRITTEN;
    }

    private void write(HttpExchange exchange) throws IOException {
        try (exchange) {
            String line = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String query = exchange.getRequestURI().getQuery();
            long fence = Long.parseUnsignedLong(query.substring(PARAMETER.length()));
            exchange.sendResponseHeaders(ledger.write(fence, line) ? WRITTEN : TOO_OLD, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
