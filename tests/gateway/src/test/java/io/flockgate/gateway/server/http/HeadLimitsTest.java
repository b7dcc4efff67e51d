package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The size of a head, and the time for it and for a body. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HeadLimitsTest {
    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @Test
    void aRequestLineMayHaveFourKibibytesAndTheHeadersSixteen() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response fits = http.ask("GET", "/health", "X: " + "x".repeat(16_000) + "\r\n", "");
            assertThat(fits.body()).isEqualTo(OK);
            http.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(16_400));
            assertThat(http.lastResponse().status()).isEqualTo(431);
        }
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/health?" + "x".repeat(4_000)).body()).isEqualTo(OK);
            http.send("GET /" + "x".repeat(4_100));
            assertThat(http.lastResponse().status()).isEqualTo(431);
        }
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Thread sending = Thread.ofVirtual().start(() -> http.sendInVain("GET /" + "x".repeat(2_000_000)));
            assertThat(http.rest()).matches("(?s)|HTTP/1.1 431 .*");
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }

    /**
     * The longest target that a route needs: keys and names of 256 and 128 escaped bytes, and a
     * cursor.
     */
    @Test
    void theLongestTargetIsServed() throws Exception {
        String key = "%ff".repeat(256);
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.get("/v1/keys?prefix=" + key + "&name=" + "%c3%a4".repeat(64) + "&gateway=" + key
                                    + "&address=" + key + "&after=" + "a".repeat(344))
                            .status())
                    .isIn(200, 400);
            assertThat(http.get("/v1/keys/" + key).status()).isEqualTo(404);
        }
    }

    @Test
    void theLinesOfABodyAreNotCounted() throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (int i = 0; i < 2; i++) {
                assertThat(http.ask("POST", "/health", "", "\n".repeat(60_000)).status())
                        .isEqualTo(405);
            }
            String chunks = "1\r\n\n\r\n".repeat(2_000) + "0\r\n\r\n";
            assertThat(http.ask("POST", "/health", "Transfer-Encoding: chunked\r\n", chunks)
                            .status())
                    .isEqualTo(405);
            assertThat(http.get("/health").body()).isEqualTo(OK);
        }
    }

    @Test
    @Tag("slow")
    void theFirstHeadHasTenSecondsAndTheNextHaveTwoMinutes() throws Exception {
        try (RawHttp half = RawHttp.of(gateway.httpPort());
                RawHttp drips = RawHttp.of(gateway.httpPort());
                RawHttp second = RawHttp.of(gateway.httpPort())) {
            assertThat(second.get("/health").body()).isEqualTo(OK);
            long begun = System.nanoTime();
            half.send("GET /health HTTP/1.1\r\nHo");
            second.send("GET /health HTTP/1.1\r\nHo");
            drips.send("GET /health HTTP/1.1\r\n");
            Thread dripping = Thread.ofVirtual().start(() -> drips.drip("X: y\r\n", 200));
            assertThat(half.rest()).isEmpty();
            assertThat(drips.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(19));
            assertThat(dripping.join(LineClient.PATIENCE)).isTrue();
            second.patience(Duration.ofSeconds(140));
            assertThat(second.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(119), Duration.ofSeconds(130));
        }
    }

    @Test
    void theFirstHeadHasTheReadTimeoutIfThatIsShorter() throws Exception {
        long begun = System.nanoTime();
        try (TestGateway hasty = TestGateway.startWithHttp("--read-timeout=1");
                RawHttp silent = RawHttp.of(hasty.httpPort());
                RawHttp drips = RawHttp.of(hasty.httpPort())) {
            drips.send("GET /health HTTP/1.1\r\n");
            Thread dripping = Thread.ofVirtual().start(() -> drips.drip("X: y\r\n", 200));
            assertThat(drips.rest()).isEmpty();
            assertThat(silent.rest()).isEmpty();
            assertThat(System.nanoTime() - begun).isGreaterThan(900_000_000L);
            assertThat(dripping.join(LineClient.PATIENCE)).isTrue();
        }
    }

    @Test
    void aBodyThatDoesNotComeEndsTheConnectionByTheReadTimeout() throws Exception {
        try (TestGateway impatient = TestGateway.startWithHttp("--read-timeout=1");
                SessionClient client = SessionClient.of(impatient.httpPort());
                SessionClient drips = client.again()) {
            String header = client.header() + "Content-Length: 100\r\n";
            client.http().send(RawHttp.request("POST", "/v1/locks/job", header, "{"));
            drips.http().send(RawHttp.request("POST", "/v1/locks/job", header, "{"));
            Thread dripping = Thread.ofVirtual().start(() -> drips.http().drip(" ", 90));
            assertThat(client.http().rest()).matches("(?s)|HTTP/1.1 4.*");
            assertThat(drips.http().rest()).matches("(?s)|HTTP/1.1 4.*");
            assertThat(dripping.join(LineClient.PATIENCE)).isTrue();
        }
    }

    @Test
    void aLongPollIsNoReadingAndOutlivesTheReadTimeout() throws Exception {
        try (TestGateway impatient = TestGateway.startWithHttp("--read-timeout=1", "--write-timeout=1");
                LineClient holder = impatient.client();
                SessionClient waiter = SessionClient.of(impatient.httpPort())) {
            holder.lock("job");
            assertThat(waiter.lock("job", "{\"acquire_timeout_s\":4}").outcome())
                    .isEqualTo("timeout");
        }
    }
}
