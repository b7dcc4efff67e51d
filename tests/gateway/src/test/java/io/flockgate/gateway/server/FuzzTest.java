package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Mutated frames and requests: answers and an end each time, and nothing of it in the log. The same
 * seed gives the same bytes. The property tests of the decoder and of bodies show what they mean.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FuzzTest {
    private static final int CONNECTIONS = 2_000;
    private static final int FRAMES_OF_CONNECTION = 40;

    /** No digit but 0 and 1: a mutation must not make a timeout that outlasts the test. */
    private static final String BYTES =
            "\u0000\t\u000b\f\r\n \u0001\u007f\u0080\u0085\u00a0\u00c2\u00e2\u00ff-+01_xlrnesw%/.;:?#{}[]\"\\,";

    private static final Pattern REPLIES =
            Pattern.compile("((ok.*|acquired [0-9a-f]{32} \\d+|queued|timeout|error|error_[a-z_]+)\n)+");
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String[] FRAMES = {
        "l\nkey\n0\n",
        "l\nkey\n0 11\n",
        "sl\nkey\n0 11 11\n",
        "e\nkey\n11\n",
        "se\nkey\n11\n",
        "w\nkey\n0\n",
        "sw\nkey\n0\n",
        "n\nkey\n" + TOKEN + " 11\n",
        "sr\nkey\n" + TOKEN + "\n",
        "auth\n_\n" + "x".repeat(400) + "\n",
        "stats\n_\n_\n"
    };
    private static final String[] OPERATIONS = {"", "/release", "/renew", "/enqueue", "/wait"};
    private static final String[] BODIES = {
        "{\"acquire_timeout_s\":0,\"lease_ttl_s\":11}",
        "{\"acquire_timeout_s\":0,\"limit\":11,\"lease_ttl_s\":0}",
        "{\"token\":\"" + TOKEN + "\",\"lease_ttl_s\":11}",
        "{\"timeout_s\":0}",
        ""
    };

    private final Random random = new Random(20_261_121);

    @Test
    void mutatedFramesAreAnsweredUntilTheEnd() throws Exception {
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--gc-interval=1", "--gc-max-idle=0").start()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                String key = "k" + i % 50;
                String frames = IntStream.range(0, FRAMES_OF_CONNECTION)
                        .mapToObj(n -> mutated(pick(FRAMES).replace("key", key)))
                        .collect(Collectors.joining());
                try (LineClient client = gateway.client()) {
                    // Until a known command, the gateway checks for other protocols.
                    assertThat(client.ping()).isEqualTo("ok");
                    assertThat(answered(client, frames)).as(frames).matches(REPLIES);
                }
            }
            try (LineClient client = gateway.client()) {
                client.awaitStats("\"connections\":1,\"locks\":\\[],\"semaphores\":\\[],"
                        + "\"idle_locks\":\\[],\"idle_semaphores\":\\[]");
            }
            expectQuietLog(gateway);
        }
    }

    @Test
    void mutatedRequestsAreAnsweredOrTheirConnectionIsClosed() throws Exception {
        int answered = 0;
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--max-locks=1000000").withHttp().start()) {
            String session = session(gateway);
            for (int i = 0; i < CONNECTIONS; i++) {
                String body = pick(BODIES);
                String framing =
                        random.nextInt(4) == 0 ? "Transfer-Encoding: chunked" : "Content-Length: " + body.length();
                String request = "POST /v1/locks/k" + i + pick(OPERATIONS)
                        + " HTTP/1.1\r\nHost: localhost\r\nX-Dflockd-Session: " + session + "\r\n" + framing
                        + "\r\n\r\n" + body;
                try (LineClient client = LineClient.connect(gateway.httpPort())) {
                    String rest = answered(client, mutated(request));
                    assertThat(rest).as(request).doesNotContain("HTTP/1.1 500", "HTTP/1.1 502", "Exception");
                    answered += rest.isEmpty() ? 0 : 1;
                }
            }
            assertThat(answered).as("requests that were read to their end").isGreaterThan(CONNECTIONS / 2);
            expectQuietLog(gateway);
        }
    }

    private static String session(GatewayProcess gateway) throws IOException {
        try (LineClient client = LineClient.connect(gateway.httpPort())) {
            client.send(
                    "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return client.rest().replaceAll("(?s).*\"session_id\":\"([0-9a-f]{32})\".*", "$1");
        }
    }

    private String pick(String[] of) {
        return of[random.nextInt(of.length)];
    }

    /** With up to two faults, at random places. */
    private String mutated(String good) {
        StringBuilder text = new StringBuilder(good);
        for (int n = random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, BYTES.charAt(random.nextInt(BYTES.length())));
                case 2 -> text.insert(at, text.substring(at));
                default -> text.setCharAt(at, BYTES.charAt(random.nextInt(BYTES.length())));
            }
        }
        return text.toString();
    }

    /** Sends the text and its end, which a gateway that has closed the connection may refuse. */
    private static String answered(LineClient client, String text) throws IOException {
        try {
            client.send(text);
            client.halfClose();
        } catch (IOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
        return client.rest();
    }

    /** Apart from the start and the stop, the log may have lines about caps. */
    private static void expectQuietLog(GatewayProcess gateway) throws InterruptedException {
        assertThat(gateway.stop()).isZero();
        assertThat(gateway.err().replaceAll(".*msg=\"a cap is reached.*\n", ""))
                .doesNotContain("\tat ", "Exception", "level=ERROR", "level=WARN");
    }
}
