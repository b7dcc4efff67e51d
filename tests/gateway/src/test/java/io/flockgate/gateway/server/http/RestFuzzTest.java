package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Random and mutated requests: an answer below 500 or the end, never a hang, and nothing of it in
 * the log. The same seed gives the same requests.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RestFuzzTest {
    /** No digit but 0 and 1: a mutation must not make a timeout that outlasts the test. */
    private static final String BYTES =
            "\u0000\t\u000b\f\r\n \u0001\u007f\u0080\u0085\u00a0\u00c2\u00e2\u00ff-+01_xlr%/.;:?#{}[]\"\\,";

    private static final String[] OPERATIONS = {"", "/release", "/renew", "/enqueue", "/wait"};
    private static final String[] BODIES = {
        "{\"acquire_timeout_s\":0,\"lease_ttl_s\":11}",
        "{\"acquire_timeout_s\":0,\"limit\":11,\"lease_ttl_s\":0}",
        "{\"token\":\"0123456789abcdef0123456789abcdef\"}",
        "{\"token\":\"x\",\"lease_ttl_s\":11}",
        "{\"limit\":11}",
        "{\"timeout_s\":0}",
        "{}",
        "",
    };

    private static String mutated(String text, Random random) {
        StringBuilder mutated = new StringBuilder(text);
        for (int n = random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(mutated.length() + 1);
            switch (random.nextInt(4)) {
                case 0 -> mutated.delete(at, Math.min(mutated.length(), at + 1));
                case 1 -> mutated.insert(at, BYTES.charAt(random.nextInt(BYTES.length())));
                case 2 -> mutated.insert(at, mutated.substring(at));
                default -> mutated.replace(at, Math.min(mutated.length(), at + 1), "\\u0000");
            }
        }
        return mutated.toString();
    }

    @Test
    void mutatedRequestsAreAnsweredOrTheirConnectionIsClosed() throws Exception {
        Random random = new Random(5);
        int answered = 0;
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--max-locks=1000000").withHttp().start()) {
            try (SessionClient session = SessionClient.of(gateway.httpPort())) {
                for (int i = 0; i < 2000; i++) {
                    String path = "/v1/locks/k" + i + OPERATIONS[random.nextInt(OPERATIONS.length)];
                    String body = BODIES[random.nextInt(BODIES.length)];
                    String header = session.header() + (random.nextInt(4) == 0 ? "Transfer-Encoding: chunked\r\n" : "");
                    String bytes = mutated(RawHttp.request("POST", path, header, body), random);
                    try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                        send(http, bytes);
                        if (random.nextInt(20) == 0) {
                            http.reset();
                            continue;
                        }
                        String rest = http.rest();
                        assertThat(rest).as(bytes).doesNotContain("HTTP/1.1 500", "HTTP/1.1 502", "Exception");
                        answered += rest.isEmpty() ? 0 : 1;
                    }
                }
                assertThat(answered).as("requests that were read to their end").isGreaterThan(1000);
                assertThat(session.http().get("/health").status()).isEqualTo(200);
            }
            assertThat(gateway.stop()).isZero();
            assertThat(gateway.err()).doesNotContain("\tat ", "Exception", "level=ERROR", "level=WARN");
        }
    }

    /**
     * Sends all of it and the end of the stream, so that the server does not wait for a missing end
     * of a request.
     */
    private static void send(RawHttp http, String bytes) {
        try {
            http.send(bytes);
            http.halfClose();
        } catch (IOException closed) {
            // The server may have closed the connection.
            return;
        }
    }
}
