package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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
        return read(operation, Kind.LOCK, body);
    }

    private LockRequest sem(LockOperation operation, String body) {
        return read(operation, Kind.SEMAPHORE, body);
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

    @Nested
    class ReadsARequest {
        @Test
        void toAcquireALock() throws Exception {
            assertThat(lock(LockOperation.ACQUIRE, "{}")).isEqualTo(acquire(Kind.LOCK, 1, DEFAULT_LEASE, 0));
            assertThat(lock(LockOperation.ACQUIRE, "null")).isEqualTo(acquire(Kind.LOCK, 1, DEFAULT_LEASE, 0));
            assertThat(lock(LockOperation.ACQUIRE, "{\"acquire_timeout_s\":1,\"lease_ttl_s\":60}"))
                    .isEqualTo(acquire(Kind.LOCK, 1, 60, 1));
            assertThat(lock(LockOperation.ACQUIRE, "{\"acquire_timeout_s\":null,\"lease_ttl_s\":null}"))
                    .isEqualTo(acquire(Kind.LOCK, 1, DEFAULT_LEASE, 0));
            String most = "{\"lease_ttl_s\":" + MOST + ",\"acquire_timeout_s\":" + MOST + "}";
            assertThat(lock(LockOperation.ACQUIRE, most)).isEqualTo(acquire(Kind.LOCK, 1, MOST, MOST));
        }

        @Test
        void toAcquireASemaphore() throws Exception {
            assertThat(sem(LockOperation.ACQUIRE, "{\"limit\":1}"))
                    .isEqualTo(acquire(Kind.SEMAPHORE, 1, DEFAULT_LEASE, 0));
            assertThat(sem(LockOperation.ACQUIRE, "{\"LIMIT\":9223372036854775807,\"Lease_TTL_s\":0}"))
                    .isEqualTo(acquire(Kind.SEMAPHORE, Long.MAX_VALUE, DEFAULT_LEASE, 0));
        }

        @Test
        void toEnqueueForALockAlsoWithoutABody() throws Exception {
            for (String body : new String[] {"", "{}", " null "}) {
                assertThat(lock(LockOperation.ENQUEUE, body)).isEqualTo(enqueue(Kind.LOCK, 1, DEFAULT_LEASE));
            }
            assertThat(lock(LockOperation.ENQUEUE, "{\"lease_ttl_s\":5}")).isEqualTo(enqueue(Kind.LOCK, 1, 5));
        }

        @Test
        void toEnqueueForASemaphore() throws Exception {
            assertThat(sem(LockOperation.ENQUEUE, "{\"lease_ttl_s\":5,\"limit\":7}"))
                    .isEqualTo(enqueue(Kind.SEMAPHORE, 7, 5));
        }

        @ParameterizedTest
        @EnumSource
        void toWaitToReleaseAndToRenewAlikeForBothKinds(Kind kind) throws Exception {
            assertThat(read(LockOperation.WAIT, kind, "{}")).isEqualTo(new LockRequest.Wait(KEY, 0));
            assertThat(read(LockOperation.WAIT, kind, "{\"timeout_s\":7}")).isEqualTo(new LockRequest.Wait(KEY, 7));
            assertThat(read(LockOperation.RELEASE, kind, token(TOKEN.toHex())))
                    .isEqualTo(new LockRequest.Release(KEY, TOKEN));
            assertThat(read(LockOperation.RENEW, kind, token(TOKEN.toHex())))
                    .isEqualTo(new LockRequest.Renew(KEY, TOKEN, DEFAULT_LEASE));
            assertThat(read(LockOperation.RENEW, kind, "{\"lease_ttl_s\":9,\"token\":\"" + TOKEN.toHex() + "\"}"))
                    .isEqualTo(new LockRequest.Renew(KEY, TOKEN, 9));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"x", "0", "1234567890ABCDEF1234567890abcdef", "\\u0000", "\u00e4", "\\ud800", "\\u00a0"})
        void withATokenThatNobodyCanHold(String text) throws Exception {
            assertThat(lock(LockOperation.RELEASE, token(text)))
                    .isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
        }
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
            expectFault(operation, Kind.SEMAPHORE, body, fault);
        }

        @ParameterizedTest
        @CsvSource({
            "ACQUIRE, LOCK, limit",
            "ACQUIRE, LOCK, token",
            "ACQUIRE, LOCK, timeout_s",
            "ACQUIRE, SEMAPHORE, token",
            "ACQUIRE, SEMAPHORE, timeout_s",
            "ENQUEUE, LOCK, limit",
            "ENQUEUE, LOCK, acquire_timeout_s",
            "ENQUEUE, SEMAPHORE, acquire_timeout_s",
            "WAIT, LOCK, acquire_timeout_s",
            "WAIT, SEMAPHORE, limit",
            "WAIT, LOCK, lease_ttl_s",
            "RELEASE, LOCK, lease_ttl_s",
            "RELEASE, SEMAPHORE, limit",
            "RENEW, LOCK, timeout_s",
            "RENEW, SEMAPHORE, limit",
            "ACQUIRE, LOCK, session_id",
            "ACQUIRE, LOCK, ''",
        })
        void aFieldThatTheRequestDoesNotHave(LockOperation operation, Kind kind, String field) {
            expectFault(operation, kind, "{\"" + field + "\":null}", "unknown field " + field);
        }

        @ParameterizedTest
        @EnumSource(names = {"ACQUIRE", "WAIT", "RELEASE", "RENEW"})
        void noBody(LockOperation operation) {
            expectFault(operation, Kind.LOCK, "", "empty body");
            expectFault(operation, Kind.LOCK, " \r\n", "empty body");
        }

        @Test
        void anEnqueueForALockWhoseBodyIsBlank() {
            expectFault(LockOperation.ENQUEUE, Kind.LOCK, " ", "empty body");
        }

        @Test
        void aTokenThatIsNoneLongOrBlank() {
            expectFault(LockOperation.RELEASE, Kind.LOCK, "{}", "token required");
            expectFault(LockOperation.RELEASE, Kind.LOCK, token(""), "token required");
            expectFault(LockOperation.RELEASE, Kind.LOCK, "{\"token\":null}", "token required");
            expectFault(LockOperation.RELEASE, Kind.LOCK, token("x".repeat(257)), "token too long (max 256 bytes)");
            expectFault(
                    LockOperation.RELEASE, Kind.LOCK, token("\u00e4".repeat(129)), "token too long (max 256 bytes)");
            for (String blank : new String[] {" ", "\\t", "\\n", "\\r", "\\u0020"}) {
                expectFault(LockOperation.RELEASE, Kind.LOCK, token("a" + blank), "token contains whitespace");
                expectFault(LockOperation.RELEASE, Kind.LOCK, token(blank + "a"), "token contains whitespace");
            }
        }
    }

    @Test
    void aTokenMayBeLongUpTo256Bytes() throws Exception {
        for (String longest : new String[] {"x".repeat(256), "\u00e4".repeat(128)}) {
            assertThat(lock(LockOperation.RELEASE, token(longest)))
                    .isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
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
