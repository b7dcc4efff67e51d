package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that speak another protocol, with bytes of an attacker's choice in it, cannot have a
 * command carried out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForeignProtocolTest {
    /** As long as a TLS session id. */
    private static final String FRAMES = "\n\n\nhello\nx\ndetached\nl\nk\n0 99999\n";

    @AutoClose
    private final TestGateway open = TestGateway.start();

    static List<Map.Entry<String, String>> foreign() {
        String request = "POST / HTTP/1.1\r\nHost: localhost:6388\r\nContent-Type: text/plain\r\n";
        return List.of(
                Map.entry("TLS session id", hello(FRAMES, "")),
                Map.entry("TLS session id, no line behind it", hello(FRAMES.substring(1) + "x", "")),
                Map.entry("TLS server name", hello("", extension(0, FRAMES))),
                Map.entry("TLS ALPN", hello("", extension(16, FRAMES))),
                Map.entry("TLS ticket", hello("", extension(35, "\n\n\n" + "ping\n_\n_\n".repeat(30) + FRAMES))),
                Map.entry("TLS padding", hello("", extension(21, "x".repeat(600) + FRAMES))),
                Map.entry("TLS alert", "\u0015\u0003\u0001\u0000\u0002\u0002(" + FRAMES),
                Map.entry("SSL 2", "\u0080.\u0001\u0003\u0001" + FRAMES),
                Map.entry("STUN, as a TURN client sends it", "\u0000\u0003\u0000$!\u0012\u00a4B" + FRAMES),
                Map.entry("HTTP request in one", request + "\r\n" + FRAMES),
                Map.entry("HTTP body", request + "Content-Length: 99\r\n\r\n" + FRAMES),
                Map.entry("HTTP path", "GET /" + FRAMES + " HTTP/1.1\r\n\r\n"),
                Map.entry("HTTP method of a page's choice", "l /k HTTP/1.1\r\n" + FRAMES),
                Map.entry("HTTP/0.9", "GET /\r\n" + FRAMES),
                Map.entry("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + FRAMES),
                Map.entry("FTP", "USER a\r\nPASS b\r\n" + FRAMES),
                Map.entry("FTP without argument", "QUIT\r\n" + FRAMES),
                Map.entry("SMTP", "EHLO page\r\nMAIL FROM:<a@b>\r\n" + FRAMES),
                Map.entry("SSH", "SSH-2.0-x\r\n" + FRAMES),
                Map.entry("Redis", "*1\r\n$4\r\nPING\r\n" + FRAMES),
                Map.entry("Redis, inline", "PING\r\n" + FRAMES),
                Map.entry("memcached", "get a\r\n" + FRAMES),
                Map.entry("a long word", "x".repeat(17) + FRAMES),
                Map.entry("an empty line", "\r\n" + FRAMES),
                Map.entry("a space", " l\n" + FRAMES),
                Map.entry("an unknown command before it", "zzz\n_\n_\nGET /\n" + FRAMES));
    }

    private static String hello(String sessionId, String extensions) {
        String all = extension(43, "\u0002\u0003\u0003") + extensions;
        String body = "\u0003\u0003" + "r".repeat(32) + (char) sessionId.length() + sessionId
                + "\u0000\u0002\u0013\u0001" + "\u0001\u0000" + sized(all);
        return "\u0016\u0003\u0001" + sized("\u0001\u0000" + sized(body));
    }

    private static String extension(int type, String data) {
        return "\u0000" + (char) type + sized(data);
    }

    private static String sized(String data) {
        return "" + (char) (data.length() >> 8) + (char) (data.length() & 0xff) + data;
    }

    @ParameterizedTest
    @MethodSource("foreign")
    void nothingOfAnotherProtocolRuns(Map.Entry<String, String> protocol) throws Exception {
        for (int segment : new int[] {9, 4_000}) {
            try (LineClient page = open.client();
                    LineClient other = open.client()) {
                send(page, protocol.getValue(), segment);
                assertThat(page.rest()).isIn("error\n", "error\nerror\n", "");
                other.release(other.lock("k"));
            }
        }
    }

    /** The gateway may have closed the connection, which refuses the rest. */
    private static void send(LineClient page, String text, int segment) {
        try {
            for (int from = 0; from < text.length(); from += segment) {
                page.send(text.substring(from, Math.min(text.length(), from + segment)));
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
        }
    }

    @Test
    void theFirstByteThatNoCommandHasEndsTheConnection() throws Exception {
        try (LineClient page = open.client()) {
            page.send("\u0016");
            assertThat(page.rest()).isEqualTo("error\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"barrier", "stable-ref", "signal", "lock", "auth", "zzz\r", "l"})
    void aCommandOfAnotherVersionLeavesTheConnectionOpen(String command) throws Exception {
        try (LineClient client = open.client()) {
            assertThat(client.ask(command, "_", "x")).isEqualTo("error");
            assertThat(client.ping()).isEqualTo("ok");
        }
    }
}
