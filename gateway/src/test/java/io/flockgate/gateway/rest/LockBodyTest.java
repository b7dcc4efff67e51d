package io.flockgate.gateway.rest;

import static io.flockgate.gateway.rest.LockBody.LockOperation.ACQUIRE;
import static io.flockgate.gateway.rest.LockBody.LockOperation.ENQUEUE;
import static io.flockgate.gateway.rest.LockBody.LockOperation.RELEASE;
import static io.flockgate.gateway.rest.LockBody.LockOperation.RENEW;
import static io.flockgate.gateway.rest.LockBody.LockOperation.WAIT;
import static io.flockgate.storage.Kind.LOCK;
import static io.flockgate.storage.Kind.SEMAPHORE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rest.LockBody.Field;
import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of requests: first what their fields mean, then how they are written. */
class LockBodyTest {
    private static final Set<Field> KNOWN = EnumSet.of(Field.LIMIT, Field.TOKEN);
    private static final long DEFAULT_LEASE = 33;
    private static final long MOST = Claim.MAX_SECONDS;
    private static final Key KEY = Key.of("k");
    private static final Token TOKEN = new Token(0x1234, 0x5678);

    private LockRequest read(LockOperation operation, Kind kind, String body) {
        return LockBody.read(operation, kind, KEY, body.getBytes(UTF_8), DEFAULT_LEASE);
    }

    private LockRequest lock(LockOperation operation, String body) {
        return read(operation, LOCK, body);
    }

    private void expectFault(LockOperation operation, Kind kind, String body, String fault) {
        assertThatThrownBy(() -> read(operation, kind, body))
                .as(body)
                .isInstanceOf(FaultException.class)
                .hasMessage(fault);
    }

    private static LockRequest acquire(Kind kind, long limit, long lease, long timeout) {
        return new LockRequest.Acquire(new Claim(KEY, kind, limit, lease, timeout > 0), timeout);
    }

    private static LockRequest enqueue(Kind kind, long limit, long lease) {
        return new LockRequest.Enqueue(new Claim(KEY, kind, limit, lease, true));
    }

    private static String token(String text) {
        return "{\"token\":\"" + text + "\"}";
    }

    static Stream<Arguments> requests() {
        String most = "{\"lease_ttl_s\":" + MOST + ",\"acquire_timeout_s\":" + MOST + "}";
        String hex = token(TOKEN.toHex());
        String both = "{\"lease_ttl_s\":9,\"token\":\"" + TOKEN.toHex() + "\"}";
        return Stream.of(
                arguments(ACQUIRE, LOCK, "{}", acquire(LOCK, 1, DEFAULT_LEASE, 0)),
                arguments(ACQUIRE, LOCK, "null", acquire(LOCK, 1, DEFAULT_LEASE, 0)),
                arguments(ACQUIRE, LOCK, "{\"acquire_timeout_s\":1,\"lease_ttl_s\":60}", acquire(LOCK, 1, 60, 1)),
                arguments(ACQUIRE, LOCK, "{\"acquire_timeout_s\":null}", acquire(LOCK, 1, DEFAULT_LEASE, 0)),
                arguments(ACQUIRE, LOCK, most, acquire(LOCK, 1, MOST, MOST)),
                arguments(ACQUIRE, SEMAPHORE, "{\"limit\":1}", acquire(SEMAPHORE, 1, DEFAULT_LEASE, 0)),
                arguments(
                        ACQUIRE,
                        SEMAPHORE,
                        "{\"LIMIT\":9223372036854775807,\"Lease_TTL_s\":0}",
                        acquire(SEMAPHORE, Long.MAX_VALUE, DEFAULT_LEASE, 0)),
                arguments(ENQUEUE, LOCK, "", enqueue(LOCK, 1, DEFAULT_LEASE)),
                arguments(ENQUEUE, LOCK, " null ", enqueue(LOCK, 1, DEFAULT_LEASE)),
                arguments(ENQUEUE, LOCK, "{\"lease_ttl_s\":5}", enqueue(LOCK, 1, 5)),
                arguments(ENQUEUE, SEMAPHORE, "{\"lease_ttl_s\":5,\"limit\":7}", enqueue(SEMAPHORE, 7, 5)),
                arguments(WAIT, LOCK, "{}", new LockRequest.Wait(KEY, 0)),
                arguments(WAIT, SEMAPHORE, "{\"timeout_s\":7}", new LockRequest.Wait(KEY, 7)),
                arguments(RELEASE, LOCK, hex, new LockRequest.Release(KEY, TOKEN)),
                arguments(RELEASE, SEMAPHORE, hex, new LockRequest.Release(KEY, TOKEN)),
                arguments(RENEW, LOCK, hex, new LockRequest.Renew(KEY, TOKEN, DEFAULT_LEASE)),
                arguments(RENEW, SEMAPHORE, both, new LockRequest.Renew(KEY, TOKEN, 9)));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void readsARequest(LockOperation operation, Kind kind, String body, LockRequest request) throws Exception {
        assertThat(read(operation, kind, body)).isEqualTo(request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "0", "1234567890ABCDEF1234567890abcdef", "\\u0000", "\u00e4", "\\ud800", "\\u00a0"})
    void readsATokenThatNobodyCanHold(String text) throws Exception {
        assertThat(lock(RELEASE, token(text))).isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
    }

    @Nested
    class Refuses {
        @ParameterizedTest
        @CsvSource({
            "ACQUIRE, '{\"acquire_timeout_s\":-1,\"limit\":0,\"lease_ttl_s\":-1}', acquire_timeout_s must be >= 0",
            "ACQUIRE, '{\"acquire_timeout_s\":9223372037,\"limit\":0}', acquire_timeout_s too large",
            "ACQUIRE, '{\"limit\":0,\"lease_ttl_s\":-1}', limit must be > 0",
            "ACQUIRE, '{\"limit\":1,\"lease_ttl_s\":-1}', lease_ttl_s must be >= 0",
            "ENQUEUE, '{\"limit\":-1,\"lease_ttl_s\":-1}', limit must be > 0",
            "ENQUEUE, '{\"limit\":1,\"lease_ttl_s\":9223372037}', lease_ttl_s too large",
            "ENQUEUE, '{}', limit must be > 0",
            "ENQUEUE, '{\"limit\":null}', limit must be > 0",
            "ENQUEUE, '', empty body",
            "RENEW, '{\"lease_ttl_s\":-1}', token required",
            "RENEW, '{\"token\":\"a b\",\"lease_ttl_s\":-1}', token contains whitespace",
            "RENEW, '{\"token\":\"a\",\"lease_ttl_s\":-1}', lease_ttl_s must be >= 0",
            "WAIT, '{\"timeout_s\":-1}', timeout_s must be >= 0",
            "WAIT, '', empty body",
        })
        void theFirstFaultInTheOrderOfTimeoutLimitTokenLease(LockOperation operation, String body, String fault) {
            expectFault(operation, SEMAPHORE, body, fault);
        }

        /** OpenApiTest compares the fields of each request with the document. */
        @Test
        void aFieldThatTheRequestDoesNotHave() {
            expectFault(ACQUIRE, LOCK, "{\"limit\":null}", "unknown field limit");
            expectFault(WAIT, SEMAPHORE, "{\"\":null}", "unknown field ");
        }

        @ParameterizedTest
        @EnumSource
        void noBodyButOfAnEnqueueForALock(LockOperation operation) {
            expectFault(operation, LOCK, " \r\n", "empty body");
            if (operation != ENQUEUE) {
                expectFault(operation, LOCK, "", "empty body");
            }
        }

        @Test
        void aTokenThatIsNoneLongOrBlank() {
            expectFault(RELEASE, LOCK, "{}", "token required");
            expectFault(RELEASE, LOCK, token(""), "token required");
            expectFault(RELEASE, LOCK, "{\"token\":null}", "token required");
            expectFault(RELEASE, LOCK, token("x".repeat(257)), "token too long (max 256 bytes)");
            expectFault(RELEASE, LOCK, token("\u00e4".repeat(129)), "token too long (max 256 bytes)");
            for (String blank : new String[] {" ", "\\t", "\\n", "\\r", "\\u0020"}) {
                expectFault(RELEASE, LOCK, token("a" + blank), "token contains whitespace");
                expectFault(RELEASE, LOCK, token(blank + "a"), "token contains whitespace");
            }
        }
    }

    @Test
    void aTokenMayBeLongUpTo256Bytes() throws Exception {
        for (String longest : new String[] {"x".repeat(256), "\u00e4".repeat(128)}) {
            assertThat(lock(RELEASE, token(longest))).isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
        }
    }

    @Nested
    class AKey {
        private String faultOf(byte[] key) {
            try {
                assertThat(LockBody.key(key).toBytes()).isEqualTo(key);
                return "";
            } catch (FaultException e) {
                return String.valueOf(e.getMessage());
            }
        }

        @Test
        void isAtFaultExactlyWhenItIsNone() {
            for (int i = 0; i < 256; i++) {
                boolean blank = " \t\n\r".indexOf(i) >= 0;
                assertThat(faultOf(new byte[] {'a', (byte) i})).isEqualTo(blank ? "key contains whitespace" : "");
            }
        }

        @Test
        void isTooLongBeforeItIsBlank() {
            assertThat(faultOf(new byte[0])).isEqualTo("empty key");
            assertThat(faultOf("k".repeat(256).getBytes(UTF_8))).isEmpty();
            assertThat(faultOf("k".repeat(257).getBytes(UTF_8))).isEqualTo("key too long (max 256 bytes)");
            assertThat(faultOf(" ".repeat(257).getBytes(UTF_8))).isEqualTo("key too long (max 256 bytes)");
        }
    }

    private static LockBody read(String body) {
        return LockBody.of(body.getBytes(UTF_8), KNOWN);
    }

    private static void expectFault(String body, String fault) {
        assertThatThrownBy(() -> read(body))
                .as(body)
                .isInstanceOf(FaultException.class)
                .hasMessage(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1, 1",
        "-1, -1",
        "2147483648, 2147483648",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808",
        "null, 0",
    })
    void numbersHave64Bits(String written, long number) throws Exception {
        assertThat(read("{\"limit\":" + written + "}").number(Field.LIMIT)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "limit does not fit 64 bits | limit | 9223372036854775808 -9223372036854775809 18446744073709551617",
                "limit must be an integer | limit | 1.0 1e0 1E2 -0.0 \"1\" true false [1] {\"limit\":1}",
                "token must be a string | token | 1 true [\"a\"] {}",
            })
    void aValueOfAnotherTypeIsAFault(String fault, String field, String values) {
        for (String value : values.split(" ", -1)) {
            expectFault("{\"" + field + "\":" + value + "}", fault);
        }
    }

    @Test
    void aFieldGivenTwiceIsAFaultInWhateverCaseAndEvenIfNull() {
        expectFault("{\"limit\":1,\"limit\":1}", "field limit is given twice");
        expectFault("{\"limit\":1,\"LIMIT\":2}", "field limit is given twice");
        expectFault("{\"limit\":null,\"limit\":1}", "field limit is given twice");
        expectFault("{\"Token\":\"a\",\"tokeN\":null}", "field token is given twice");
    }

    @Test
    void aFieldOfAnotherRequestIsUnknown() {
        for (Field field : EnumSet.complementOf(EnumSet.copyOf(KNOWN))) {
            expectFault("{\"" + field.text() + "\":0}", "unknown field " + field.text());
        }
        expectFault("{\"limit \":0}", "unknown field limit ");
        expectFault("{\"l\u0131mit\":0}", "unknown field l\u0131mit");
    }

    @Test
    void theCaseOfNamesDoesNotDependOnTheLanguageOfTheMachine() throws Exception {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr"));
            assertThat(read("{\"LIMIT\":3}").number(Field.LIMIT)).isEqualTo(3);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void aBodyIsOneObject() {
        for (String body : List.of("[]", "1", "\"{}\"", "true", "[{}]", "-1.5")) {
            expectFault(body, "body must be a JSON object");
        }
        for (String body : List.of("{} {}", "{}{}", "{} null", "null null", "{}1", "{}\"\"", "null[]")) {
            expectFault(body, "body must contain a single JSON value");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'{', 1",
        "'{]', 1",
        "'}', 0",
        "'{} x', 3",
        "'{}]', 2",
        "'{}//', 2",
        "nul, 0",
        "'#{}', 0",
        "limit=1, 0",
        "'{limit:1}', 1",
        "'{\"limit\":1,}', 9",
        "'{\"limit\":01}', 9",
        "'{\"limit\":+1}', 9",
        "'{\"limit\":0x1}', 9",
        "'{\"limit\":NaN}', 9",
        "'{\"limit\":1/**/}', 9"
    })
    void whatIsNotJsonIsAFaultThatSaysAboutWhere(String body, int atLeast) {
        assertThatThrownBy(() -> read(body)).isInstanceOfSatisfying(FaultException.class, fault -> {
            assertThat(fault).hasMessageMatching("body is not valid JSON, at byte [0-9]+");
            int at = Integer.parseInt(String.valueOf(fault.getMessage()).replaceAll("\\D", ""));
            assertThat(at).isBetween(atLeast, body.length() + 1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "{\"token\":\"secret", "{\"token\":secret}", "{\"token\":\"secret\"}secret"})
    void aFaultRepeatsNothingOfTheBodyAndHasNoTrace(String body) {
        assertThatThrownBy(() -> read(body)).isInstanceOfSatisfying(FaultException.class, fault -> {
            assertThat(fault.getMessage()).doesNotContain("secret", "Source", "\n");
            assertThat(fault.getStackTrace()).isEmpty();
            assertThat(fault.getCause()).isNull();
        });
    }

    @Test
    void hugeAndDeepValuesAreFaultsLikeOthers() {
        for (String body : new String[] {
            "[".repeat(500_000),
            "{\"limit\":" + "[".repeat(500_000),
            "{\"limit\":" + "9".repeat(1_000_000) + "}",
            "{\"" + "x".repeat(1_000_000) + "\":0}",
        }) {
            assertThatThrownBy(() -> read(body)).isInstanceOf(FaultException.class);
        }
    }

    @Test
    void bytesThatAreNotUtf8AreReadAsSignsOfThat() throws Exception {
        byte[] body = "{\"token\":\"a?b\"}".getBytes(UTF_8);
        body[11] = (byte) 0xff;
        assertThat(LockBody.of(body, KNOWN).token()).isEqualTo("a\ufffdb");
    }
}
