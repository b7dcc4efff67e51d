package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * No secret appears in the log at DEBUG, whichever byte in it is wrong: in a header, a field, a
 * path or a frame.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class SecretLogTest {
    private static final String BEFORE = "zq7front";
    private static final String AFTER = "9vbehind";

    @Test
    void noByteMakesASecretAppear() throws Exception {
        try (GatewayProcess guarded = GatewayLauncher.ofJar("--debug", "--auth-token=s3cret")
                        .withHttp()
                        .start();
                GatewayProcess open = GatewayLauncher.ofJar("--debug", "--fleetlock-groups=g", "--fleetlock-volatile")
                        .withHttp()
                        .start()) {
            sweep(guarded.httpPort(), secret -> request("GET", "/v1/stats", "Authorization: Bearer " + secret, ""));
            sweep(guarded.httpPort(), secret -> request("GET", "/v1/stats", "Authorization: Basic " + secret, ""));
            sweep(guarded.httpPort(), secret -> request("GET", "/v1/stats", "Authorization:" + secret, ""));
            sweep(open.httpPort(), secret -> request("POST", "/v1/locks/k", "X-Dflockd-Session: " + secret, "{}"));
            sweep(open.httpPort(), secret -> request("DELETE", "/v1/sessions/" + secret, "X: y", ""));
            sweep(
                    open.httpPort(),
                    secret -> request("POST", "/v1/locks/k/release", "X-Dflockd-Session: x", body(secret)));
            sweep(open.httpPort(), secret -> request("POST", "/v1/sessions", "X: y", body(secret)));
            sweep(
                    open.httpPort(),
                    secret -> request("POST", "/v1/pre-reboot", "fleet-lock-protocol: true", body(secret)));
            sweep(guarded.port(), secret -> LineClient.frame("auth", "_", secret));
            String granted;
            try (LineClient client = guarded.client()) {
                assertThat(client.ask("auth", "_", "s3cret")).isEqualTo("ok");
                granted = client.lock("k").token();
                assertThat(client.ask(granted, "k", granted)).isEqualTo("error");
                assertThat(client.ask("r", "k", granted)).isEqualTo("ok");
            }
            for (String command : List.of("r", "n", "sr", "sn", "auth", "w")) {
                sweep(open.port(), secret -> LineClient.frame(command, "k", secret));
            }
            for (GatewayProcess server : List.of(guarded, open)) {
                assertThat(server.stop()).isZero();
                assertThat(server.err())
                        .contains("level=DEBUG")
                        .doesNotContain(BEFORE)
                        .doesNotContain(AFTER);
            }
            assertThat(guarded.err())
                    .contains(
                            " level=WARN msg=\"the auth token has fewer than 16 characters,"
                                    + " so that it can be guessed\"\n",
                            "msg=\"client closed\"",
                            "msg=\"protocol error\"")
                    .containsPattern("level=WARN msg=\"auth failed\" peer=127.0.0.1:\\d+ protocol=line count=\\d+")
                    .doesNotContain("s3cret", granted, granted.substring(16));
            assertThat(guarded.err().split("auth failed", -1))
                    .as("a line a second")
                    .hasSizeLessThan(100);
        }
    }

    private static String request(String method, String target, String header, String body) {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + header
                + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static String body(String secret) {
        return "{\"token\":\"" + secret + "\"}";
    }

    /**
     * Sends a text with each byte in the middle, at the end, and at the end of a line that ends in
     * two carriage returns.
     */
    private static void sweep(int port, Function<String, String> text) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(64)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                char wrong = (char) i;
                for (String secret : List.of(BEFORE + wrong + AFTER, BEFORE + wrong, wrong + AFTER + "\r")) {
                    running.add(threads.submit(() -> {
                        send(port, text.apply(secret));
                        return null;
                    }));
                }
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private static void send(int port, String text) throws IOException {
        try (LineClient client = LineClient.connect(port)) {
            client.send(text);
            client.halfClose();
            assertThat(client.rest()).doesNotContain("Exception");
        }
    }
}
