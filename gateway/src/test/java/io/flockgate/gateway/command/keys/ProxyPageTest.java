package io.flockgate.gateway.command.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Something between the shell and the gateway answers with a page of its own, and with a status of success. */
class ProxyPageTest {
    private static final String SESSION = "{\"session_id\":\"s-1\",\"idle_timeout_s\":20}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private HttpServer server;
    private int status;
    private String page = "";
    private boolean hasSessions;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, status, page));
        server.createContext(
                "/v1/sessions", exchange -> answer(exchange, hasSessions ? 200 : status, hasSessions ? SESSION : page));
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }

    private int run(String line) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        List<String> words = List.of(line.split(" "));
        List<String> args = words.subList(1, words.size());
        Map<String, String> environment = Map.of("FLOCKGATE_SERVER", url);
        PrintStream output = new PrintStream(out, true, UTF_8);
        PrintStream errors = new PrintStream(err, true, UTF_8);
        return words.getFirst().equals("show")
                ? ShowCommand.run(args, environment, output, errors)
                : GrantCommand.run(words.getFirst(), args, environment, output, errors);
    }

    @ParameterizedTest
    @CsvSource({
        "release job 18ea0b56688fb15ebd3ab007cbade02c, true, 200, <html>sign in</html>",
        "release job 18ea0b56688fb15ebd3ab007cbade02c, true, 200, {}",
        "release job 18ea0b56688fb15ebd3ab007cbade02c, true, 302, <html>sign in</html>",
        "release job 18ea0b56688fb15ebd3ab007cbade02c, false, 200, <html>sign in</html>",
        "renew job 18ea0b56688fb15ebd3ab007cbade02c, true, 200, <html>sign in</html>",
        "renew job 18ea0b56688fb15ebd3ab007cbade02c, true, 200, {}",
        "renew job 18ea0b56688fb15ebd3ab007cbade02c, true, 204, ''",
        "renew job 18ea0b56688fb15ebd3ab007cbade02c, true, 200, {\"remaining_s\":\"soon\"}",
        "renew job 18ea0b56688fb15ebd3ab007cbade02c, false, 200, <html>sign in</html>",
        "release job --force --fence 0000000000000001 --reason r, true, 200, <html>sign in</html>",
        "show job, true, 200, <html>sign in</html>",
        "show job --json, true, 200, <html>sign in</html>",
    })
    void aPageOfAProxyIsNoAnswer(String line, boolean sessions, int given, String body) {
        hasSessions = sessions;
        status = given;
        page = body;

        assertThat(run(line)).as("%s", err).isEqualTo(1);

        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8)).contains("not a gateway's").hasLineCount(1);
    }
}
