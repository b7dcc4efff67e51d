package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestParserTest {
    private static final long DEFAULT_LEASE = 33;
    private static final String TOKEN = "0123456789abcdeffedcba9876543210";
    private static final Token READ = new Token(0x0123456789abcdefL, 0xfedcba9876543210L);
    private static final Key KEY = Key.of("job");

    private final RequestParser parser = new RequestParser(DEFAULT_LEASE);

    private @Nullable LockRequest parse(String command, String key, String argument) {
        LineDecoder frame = Frames.of(command, key, argument);
        return parser.parse(Command.of(frame), frame);
    }

    private FrameFault faultOf(String command, String key, String argument) {
        assertThat(parse(command, key, argument)).isNull();
        return parser.fault();
    }

    private static Claim lock(long lease, boolean mayQueue) {
        return new Claim(KEY, Kind.LOCK, 1, lease, mayQueue);
    }

    private static Claim semaphore(long limit, long lease, boolean mayQueue) {
        return new Claim(KEY, Kind.SEMAPHORE, limit, lease, mayQueue);
    }

    @Nested
    class Commands {
        @Test
        void acquireALockOrASlot() {
            assertThat(parse("l", "job", "10")).isEqualTo(new LockRequest.Acquire(lock(33, true), 10));
            assertThat(parse("l", "job", "10 60")).isEqualTo(new LockRequest.Acquire(lock(60, true), 10));
            assertThat(parse("sl", "job", "5 3")).isEqualTo(new LockRequest.Acquire(semaphore(3, 33, true), 5));
            assertThat(parse("sl", "job", "5 3 60")).isEqualTo(new LockRequest.Acquire(semaphore(3, 60, true), 5));
        }

        @Test
        void withoutTimeDoNotQueue() {
            assertThat(parse("l", "job", "0")).isEqualTo(new LockRequest.Acquire(lock(33, false), 0));
            assertThat(parse("sl", "job", "-0 1")).isEqualTo(new LockRequest.Acquire(semaphore(1, 33, false), 0));
        }

        @Test
        void enqueue() {
            assertThat(parse("e", "job", "")).isEqualTo(new LockRequest.Enqueue(lock(33, true)));
            assertThat(parse("e", "job", " \t ")).isEqualTo(new LockRequest.Enqueue(lock(33, true)));
            assertThat(parse("e", "job", "60")).isEqualTo(new LockRequest.Enqueue(lock(60, true)));
            assertThat(parse("se", "job", "3")).isEqualTo(new LockRequest.Enqueue(semaphore(3, 33, true)));
            assertThat(parse("se", "job", "3 60")).isEqualTo(new LockRequest.Enqueue(semaphore(3, 60, true)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"w", "sw"})
        void await(String command) {
            assertThat(parse(command, "job", "10")).isEqualTo(new LockRequest.Wait(KEY, 10));
            assertThat(parse(command, "job", " 0\t")).isEqualTo(new LockRequest.Wait(KEY, 0));
        }

        @ParameterizedTest
        @ValueSource(strings = {"r", "sr"})
        void release(String command) {
            assertThat(parse(command, "job", TOKEN)).isEqualTo(new LockRequest.Release(KEY, READ));
            assertThat(parse(command, "job", "\u00c2\u00a0 " + TOKEN + " "))
                    .isEqualTo(new LockRequest.Release(KEY, READ));
        }

        @ParameterizedTest
        @ValueSource(strings = {"n", "sn"})
        void renew(String command) {
            assertThat(parse(command, "job", TOKEN)).isEqualTo(new LockRequest.Renew(KEY, READ, 33));
            assertThat(parse(command, "job", " " + TOKEN + "  60 ")).isEqualTo(new LockRequest.Renew(KEY, READ, 60));
        }

        @Test
        void loseTheirTrailingCrs() {
            assertThat(parse("l\r\r", "job\r", "10\r")).isEqualTo(new LockRequest.Acquire(lock(33, true), 10));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "", "x", "L", " l", "l ", "ll", "ls", "ss", "s", "sx", "rl", "sll", "auth", "PING", "ping ",
                    "statss", "barrier", "\0", "\u00ff", "s\u00ec"
                })
        void areNoOthers(String command) {
            assertThat(faultOf(command, "job", "10")).isEqualTo(FrameFault.INVALID_COMMAND);
        }
    }

    @Nested
    class Keys {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "k",
                    "\0",
                    "\u000b",
                    "\f",
                    "\u007f",
                    "\u00c2\u00a0",
                    "\u00ff\u00fe",
                    "\u0085",
                    "a/b:c",
                    "\u001f",
                    "\u00e2\u0080\u0080"
                })
        void areAnyBytesButBlanks(String key) {
            assertThat(parse("w", key, "1"))
                    .isInstanceOfSatisfying(
                            LockRequest.Wait.class,
                            wait -> assertThat(wait.key().toBytes()).isEqualTo(bytes(key)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "a b", " a", "a\tb", "a\rb", "\ra"})
        void areNeverEmptyAndHoldNoBlanks(String key) {
            for (String command : new String[] {"l", "r", "n", "e", "w", "sl", "sr", "sn", "se", "sw"}) {
                assertThat(faultOf(command, key, "1 1")).isEqualTo(FrameFault.INVALID_KEY);
            }
        }

        @Test
        void haveUpTo256Bytes() {
            Key longest = Objects.requireNonNull(Key.copyOf(bytes("k".repeat(256)), 0, 256));
            assertThat(parse("w", "k".repeat(256), "1")).isEqualTo(new LockRequest.Wait(longest, 1));
        }

        @Test
        void thatDifferInOneInvalidByteAreTwo() {
            assertThat(parse("w", "\u00fe", "1")).isNotEqualTo(parse("w", "\u00ff", "1"));
        }
    }

    @Nested
    class Faults {
        @ParameterizedTest
        @CsvSource({
            "l, ''",
            "l, ' '",
            "l, 1 2 3",
            "e, 1 2",
            "sl, ''",
            "sl, 1",
            "sl, 1 2 3 4",
            "se, ''",
            "se, 1 2 3",
            "n, t 1 2",
            "sn, t 1 2"
        })
        void ofTheNumberOfFields(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.WRONG_FIELD_COUNT);
        }

        @ParameterizedTest
        @CsvSource({"r, ''", "r, ' '", "sr, ''", "n, ''", "n, ' '", "sn, ''"})
        void ofAnEmptyToken(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.EMPTY_TOKEN);
        }

        @ParameterizedTest
        @CsvSource({
            "l, x",
            "l, 1 x",
            "l, 1.0",
            "l, 1_0",
            "l, 9223372036854775808",
            "sl, x 1",
            "sl, 1 x",
            "sl, 1 1 x",
            "e, x",
            "se, x",
            "se, 1 x",
            "se, 9223372036854775808",
            "w, ''",
            "w, x",
            "w, 5 6",
            "sw, ' '",
            "n, t x",
            "sn, t 1e3"
        })
        void ofWhatIsNoNumber(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.INVALID_NUMBER);
        }

        @ParameterizedTest
        @CsvSource({
            "l, -1",
            "sl, -1 1",
            "w, -1",
            "sw, -7",
            "l, 9223372037",
            "sl, 9223372037 1",
            "w, 9223372036854775807"
        })
        void ofATimeout(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.INVALID_TIMEOUT);
        }

        @ParameterizedTest
        @CsvSource({
            "l, 1 0",
            "l, 1 -0",
            "l, 1 -5",
            "l, 1 9223372037",
            "sl, 1 1 0",
            "e, 0",
            "e, 9223372037",
            "se, 1 0",
            "n, t 0",
            "sn, t -1",
            "n, t 9223372037"
        })
        void ofALease(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.INVALID_LEASE);
        }

        @ParameterizedTest
        @CsvSource({"sl, 1 0", "sl, 1 -1", "sl, 1 -0 5", "se, 0", "se, -3 5"})
        void ofALimit(String command, String argument) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(FrameFault.INVALID_LIMIT);
        }

        @Test
        void haveTheNumbersThatLogsKnow() {
            assertThat(FrameFault.values()).extracting(FrameFault::code).containsExactly(3, 4, 5, 6, 7, 8, 9, 13);
            assertThat(FrameFault.INVALID_LIMIT.code()).isEqualTo(13);
        }
    }

    @Nested
    class TheGreatestNumbers {
        @Test
        void ofSecondsAreTaken() {
            long most = 9_223_372_036L;
            assertThat(parse("l", "job", most + " " + most)).isEqualTo(new LockRequest.Acquire(lock(most, true), most));
            assertThat(parse("w", "job", "+" + most)).isEqualTo(new LockRequest.Wait(KEY, most));
            assertThat(parse("n", "job", TOKEN + " " + most)).isEqualTo(new LockRequest.Renew(KEY, READ, most));
        }

        @Test
        void ofALimitAreTaken() {
            assertThat(parse("se", "job", Long.MAX_VALUE + ""))
                    .isEqualTo(new LockRequest.Enqueue(semaphore(Long.MAX_VALUE, 33, true)));
        }
    }

    @Nested
    class ATokenThatIsNone {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "t",
                    "0123456789ABCDEFFEDCBA9876543210",
                    "0123456789abcdeffedcba987654321",
                    "0123456789abcdeffedcba98765432100",
                    "0123456789abcdef fedcba9876543210",
                    "0123456789abcdegfedcba9876543210"
                })
        void isHeldByNobodyButNoFault(String token) {
            assertThat(parse("r", "job", token)).isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
        }
    }
}
