package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies: their size, their arrival, and what is JSON. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BodyTest {
    private static final int CAP = 1 << 20;

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp("--max-locks=100000");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @Test
    void aBodyOfAMebibyteIsReadAndOneByteMoreIsRefusedAndCloses() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            Response fits = client.lock("fits", "{}" + " ".repeat(CAP - 2));
            assertThat(SessionClient.granted(fits)).isNotEmpty();
            client.begin("/v1/locks/more", "{}" + " ".repeat(CAP - 1));
            expectTooLarge(client.http().lastResponse());
        }
    }

    @Test
    void chunksAreCountedToo() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Transfer-Encoding: chunked\r\n";
            String chunk = "10000\r\n" + " ".repeat(65_536) + "\r\n";
            Response fits = client.http()
                    .ask("POST", "/v1/locks/fits-too", header, "2\r\n{}\r\n" + chunk.repeat(15) + "0\r\nX: y\r\n\r\n");
            assertThat(SessionClient.granted(fits)).isNotEmpty();
            client.http().send(RawHttp.request("POST", "/v1/locks/more", header, "2\r\n{}\r\n" + chunk.repeat(16)));
            expectTooLarge(client.http().response());
        }
    }

    @Test
    void aLengthOverTheCapIsRefusedBeforeTheBodyComes() throws Exception {
        for (String length : new String[] {"1048577", "9223372036854775807"}) {
            try (SessionClient client = SessionClient.of(gateway.httpPort())) {
                String header = client.header() + "Content-Length: " + length + "\r\n";
                client.http().send(RawHttp.request("POST", "/v1/locks/more", header, ""));
                expectTooLarge(client.http().lastResponse());
            }
        }
    }

    private static void expectTooLarge(Response response) {
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.error()).isEqualTo("bad_request");
    }

    @Test
    void theBodyIsAskedForWhenTheClientExpectsIt() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String header = client.header() + "Expect: 100-continue\r\nContent-Length: 2\r\n";
            client.http().send(RawHttp.request("POST", "/v1/locks/expected", header, ""));
            assertThat(client.http().response().status()).isEqualTo(100);
            client.expectNoAnswerYet();
            client.http().send("{}");
            assertThat(SessionClient.granted(client.answer())).isNotEmpty();
            client.http().send(RawHttp.request("POST", "/v1/locks/expected", header, "{}"));
            Response next = client.answer();
            assertThat((next.status() == 100 ? client.answer() : next).outcome())
                    .isEqualTo("timeout");
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0",
                "1e0",
                "1E2",
                "\"1\"",
                "01",
                "-01",
                "+1",
                "0x1",
                "1_0",
                "NaN",
                "Infinity",
                "true",
                "[]",
                "{}",
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551617",
                "1 2",
                "'1'",
                "1,",
                "1/**/",
            })
    void nothingButAnIntegerIsANumberOfSeconds(String number) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            expectBad(client.lock("never", "{\"acquire_timeout_s\":" + number + "}"));
            expectBad(client.lock("never", "{\"lease_ttl_s\":" + number + "}"));
            expectBad(client.post("/v1/semaphores/never", "{\"limit\":" + number + "}"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{} {}",
                "{}{}",
                "{}]",
                "{}x",
                "{}\u0000",
                "{}//",
                "[{}]",
                "[]",
                "\"{}\"",
                "1",
                "true",
                "{",
                "}",
                "{\"acquire_timeout_s\"}",
                "{acquire_timeout_s:0}",
                "{'acquire_timeout_s':0}",
                "{\"acquire_timeout_s\":0,}",
                "{\"acquire_timeout_s\":0 \"lease_ttl_s\":1}",
                "{\"acquire_timeout_s\":0,\"acquire_timeout_s\":0}",
                "{\"acquire_timeout_s\":0,\"\\u0061cquire_timeout_s\":0}",
                "{\"unknown\":null}",
                "{\"\":0}",
                "{\"acquire_timeout_s \":0}",
                "\u00ef\u00bb\u00bf{}",
                "{\"acquire_timeout_s\":\u00a00}",
                "#{}",
                "/**/{}",
                "acquire_timeout_s=0",
                "--x\r\nContent-Disposition: form-data; name=\"acquire_timeout_s\"\r\n\r\n0\r\n--x--\r\n",
            })
    void nothingButOneObjectOfKnownFieldsIsABody(String body) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            expectBad(client.lock("never", body));
            for (String type : new String[] {
                "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"
            }) {
                String header = client.header() + "Content-Type: " + type + "\r\n";
                expectBad(client.http().ask("POST", "/v1/locks/never", header, body));
            }
            assertThat(client.http().get("/v1/stats").body()).doesNotContain("never");
        }
    }

    private static void expectBad(Response response) {
        assertThat(response.status()).as("%s", response).isEqualTo(400);
        assertThat(response.error()).isEqualTo("bad_request");
        assertThat(response.body()).doesNotContain("Exception", "jackson", "com.fasterxml", "Source:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"Acquire_Timeout_S\":0,\"LEASE_TTL_S\":60}",
                "{\"acquire_timeout_s\":null,\"lease_ttl_s\":60}",
                "{\"lease_ttl_s\":60,\"acquire_timeout_s\":-0}",
                "{\"\\u006cease_ttl_s\":60}",
                " \r\n\t{ \"lease_ttl_s\" : 60 } \r\n\t",
            })
    void whatGosDecoderTakesIsTaken(String body) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String key = "lenient-" + body.length();
            Response response = client.lock(key, body);
            client.release(key, SessionClient.granted(response));
            assertThat(response.member("lease_ttl_s")).isEqualTo("60");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {2_147_483_648L, 4_294_967_296L, 4_294_967_297L, 9_223_372_036L})
    void secondsAreNotCutTo32Bits(long seconds) throws Exception {
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            String key = "long-" + seconds;
            String body = "{\"acquire_timeout_s\":" + seconds + ",\"lease_ttl_s\":" + seconds + "}";
            Response held = holder.lock(key, body);
            String token = SessionClient.granted(held);
            assertThat(held.member("lease_ttl_s")).isEqualTo(Long.toString(seconds));
            waiter.begin("/v1/locks/" + key, body);
            // A wait truncated to a second would end before this one, which begins later.
            assertThat(holder.lock(key, "{\"acquire_timeout_s\":1}").outcome()).isEqualTo("timeout");
            assertThat(holder.post("/v1/locks/" + key + "/renew", renewal(token, seconds))
                            .body())
                    .isEqualTo("{\"remaining_s\":" + seconds + "}\n");
            holder.release(key, token);
            assertThat(SessionClient.granted(waiter.answer())).isNotEqualTo(token);
        }
    }

    private static String renewal(String token, long seconds) {
        return "{\"token\":\"" + token + "\",\"lease_ttl_s\":" + seconds + "}";
    }

    @ParameterizedTest
    @CsvSource({
        "9223372037, too large",
        "9223372036854775807, too large",
        "-1, must be >= 0",
        "-9223372036854775808, must be >= 0",
    })
    void secondsHaveBounds(String seconds, String wrong) throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            String lease = "{\"lease_ttl_s\":" + seconds + "}";
            assertThat(client.lock("never", "{\"acquire_timeout_s\":" + seconds + "}")
                            .body())
                    .isEqualTo(error("acquire_timeout_s " + wrong));
            assertThat(client.lock("never", lease).body()).isEqualTo(error("lease_ttl_s " + wrong));
            assertThat(client.post("/v1/locks/never/enqueue", lease).body()).isEqualTo(error("lease_ttl_s " + wrong));
            assertThat(client.post("/v1/locks/never/wait", "{\"timeout_s\":" + seconds + "}")
                            .body())
                    .isEqualTo(error("timeout_s " + wrong));
        }
    }

    /** The body; {@code >} is escaped, as by Go's encoder. */
    private static String error(String detail) {
        return "{\"error\":\"bad_request\",\"detail\":\"" + detail.replace(">", "\\u003e") + "\"}\n";
    }

    @Test
    @DisplayName("a deeply nested or very long value is refused like others")
    void hugeValuesAreRefused() throws Exception {
        try (SessionClient client = SessionClient.of(gateway.httpPort())) {
            expectBad(client.lock("never", "{\"acquire_timeout_s\":" + "[".repeat(500_000) + "}"));
            expectBad(client.lock("never", "[".repeat(500_000)));
            expectBad(client.lock("never", "{\"acquire_timeout_s\":" + "9".repeat(1_000_000) + "}"));
            expectBad(client.lock("never", "{\"" + "x".repeat(1_000_000) + "\":0}"));
            expectBad(client.post("/v1/locks/never/release", "{\"token\":\"" + "x".repeat(1_000_000) + "\"}"));
        }
    }
}
