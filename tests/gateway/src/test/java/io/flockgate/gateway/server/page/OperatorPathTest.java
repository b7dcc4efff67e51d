package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;

/** The page for operators behind a proxy that serves it below a path, and removes that path. */
@Tag("browser")
@Execution(CONCURRENT)
class OperatorPathTest {
    private static final String PATH = "/flockgate";

    @RegisterExtension
    final PageBed bed = new PageBed();

    @Test
    void thePageWorksBelowAPath() throws Exception {
        bed.start();
        int gateway = bed.gateway().httpPort();
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        bed.closing(() -> proxy.stop(0));
        proxy.setExecutor(Thread::startVirtualThread);
        proxy.createContext(PATH + "/", exchange -> forward(exchange, gateway));
        proxy.start();
        BrowserPage page = bed.open(proxy.getAddress().getPort(), PageBed.WIDE, PATH + "/");
        bed.client().lock("below", 0, 3600);
        page.awaitText("main", "below");
        page.awaitText("#live-means", "live");
        page.go("key/below");
        page.awaitText("main", "below");
        page.go("gateways");
        page.awaitText("main", "this one, ready");
        assertThat(page.eval("location.pathname").asText()).isEqualTo(PATH + "/");
    }

    /** Passes a GET on, and its answer as it arrives. */
    private static void forward(HttpExchange exchange, int port) throws IOException {
        String target = exchange.getRequestURI().toString().substring(PATH.length());
        HttpURLConnection call = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + target).toURL().openConnection();
        try (exchange) {
            int status = call.getResponseCode();
            exchange.getResponseHeaders().set("Content-Type", call.getContentType());
            exchange.sendResponseHeaders(status, 0);
            byte[] bytes = new byte[8192];
            try (InputStream answer = call.getInputStream()) {
                for (int read = answer.read(bytes); read >= 0; read = answer.read(bytes)) {
                    exchange.getResponseBody().write(bytes, 0, read);
                    exchange.getResponseBody().flush();
                }
            }
        } finally {
            call.disconnect();
        }
    }
}
