package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
    static final PageBed BED = new PageBed();

    @Test
    void thePageWorksBelowAPath() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client()) {
            HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            proxy.setExecutor(threads);
            proxy.createContext(PATH + "/", exchange -> forward(exchange, gateway.httpPort()));
            proxy.start();
            try (BrowserPage page = BED.open(proxy.getAddress().getPort(), PATH + "/")) {
                client.lock("below", 0, 3600);
                page.awaitText("main", "below");
                page.awaitText("#live-means", "live");
                page.eval("location.hash = '#/key/below'");
                page.awaitText("main", "below");
                page.eval("location.hash = '#/gateways'");
                page.awaitText("main", "this one, ready");
                assertThat(page.eval("location.pathname").asText()).isEqualTo(PATH + "/");
                page.expectNoComplaint();
            } finally {
                proxy.stop(0);
            }
        }
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
            try (InputStream answer = call.getInputStream()) {
                byte[] bytes = new byte[8192];
                int read = answer.read(bytes);
                while (read >= 0) {
                    exchange.getResponseBody().write(bytes, 0, read);
                    exchange.getResponseBody().flush();
                    read = answer.read(bytes);
                }
            }
        } finally {
            call.disconnect();
        }
    }
}
