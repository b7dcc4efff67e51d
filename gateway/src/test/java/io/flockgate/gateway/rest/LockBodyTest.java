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
import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockBodyTest {
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
        @EnumSource(names = {"ACQUIRE", "WAIT", "RELEASE", "RENEW"})
        void noBody(LockOperation operation) {
            expectFault(operation, LOCK, "", "empty body");
            expectFault(operation, LOCK, " \r\n", "empty body");
        }

        @Test
        void anEnqueueForALockWhoseBodyIsBlank() {
            expectFault(ENQUEUE, LOCK, " ", "empty body");
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
}
