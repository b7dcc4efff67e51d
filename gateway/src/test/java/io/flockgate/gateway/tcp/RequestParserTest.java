package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.tcp.Request.Malformed;
import io.flockgate.gateway.tcp.Request.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.util.Objects;
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

    private Request parse(String command, String key, String argument) {
        return parser.parse(Frames.of(command, key, argument));
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
            assertThat(parse("l", "job", "10")).isEqualTo(new Request.Acquire(lock(33, true), 10));
            assertThat(parse("l", "job", "10 60")).isEqualTo(new Request.Acquire(lock(60, true), 10));
            assertThat(parse("sl", "job", "5 3")).isEqualTo(new Request.Acquire(semaphore(3, 33, true), 5));
            assertThat(parse("sl", "job", "5 3 60")).isEqualTo(new Request.Acquire(semaphore(3, 60, true), 5));
        }

        @Test
        void withoutTimeDoNotQueue() {
            assertThat(parse("l", "job", "0")).isEqualTo(new Request.Acquire(lock(33, false), 0));
            assertThat(parse("sl", "job", "-0 1")).isEqualTo(new Request.Acquire(semaphore(1, 33, false), 0));
        }

        @Test
        void enqueue() {
            assertThat(parse("e", "job", "")).isEqualTo(new Request.Enqueue(lock(33, true)));
            assertThat(parse("e", "job", " \t ")).isEqualTo(new Request.Enqueue(lock(33, true)));
            assertThat(parse("e", "job", "60")).isEqualTo(new Request.Enqueue(lock(60, true)));
            assertThat(parse("se", "job", "3")).isEqualTo(new Request.Enqueue(semaphore(3, 33, true)));
            assertThat(parse("se", "job", "3 60")).isEqualTo(new Request.Enqueue(semaphore(3, 60, true)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"w", "sw"})
        void await(String command) {
            assertThat(parse(command, "job", "10")).isEqualTo(new Request.Wait(KEY, 10));
            assertThat(parse(command, "job", " 0\t")).isEqualTo(new Request.Wait(KEY, 0));
        }

        @ParameterizedTest
        @ValueSource(strings = {"r", "sr"})
        void release(String command) {
            assertThat(parse(command, "job", TOKEN)).isEqualTo(new Request.Release(KEY, READ));
            assertThat(parse(command, "job", "\u00c2\u00a0 " + TOKEN + " ")).isEqualTo(new Request.Release(KEY, READ));
        }

        @ParameterizedTest
        @ValueSource(strings = {"n", "sn"})
        void renew(String command) {
            assertThat(parse(command, "job", TOKEN)).isEqualTo(new Request.Renew(KEY, READ, 33));
            assertThat(parse(command, "job", " " + TOKEN + "  60 ")).isEqualTo(new Request.Renew(KEY, READ, 60));
        }

        @Test
        void thatNeedNoKeyTakeAnyLines() {
            assertThat(parse("ping", "_", "_")).isEqualTo(Plain.PING);
            assertThat(parse("ping", "", "1 2 3 4")).isEqualTo(Plain.PING);
            assertThat(parse("stats", "a b", "")).isEqualTo(Plain.STATS);
        }

        @Test
        void loseTheirTrailingCrs() {
            assertThat(parse("l\r\r", "job\r", "10\r")).isEqualTo(new Request.Acquire(lock(33, true), 10));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "", "x", "L", " l", "l ", "ll", "ls", "ss", "s", "sx", "rl", "sll", "auth", "PING", "ping ",
                    "statss", "barrier", "\0", "\u00ff", "s\u00ec"
                })
        void areNoOthers(String command) {
            assertThat(parse(command, "job", "10")).isEqualTo(Malformed.INVALID_COMMAND);
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
            Request request = parse("w", key, "1");
            assertThat(request).isInstanceOf(Request.Wait.class);
            assertThat(((Request.Wait) request).key().toBytes()).isEqualTo(bytes(key));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "a b", " a", "a\tb", "a\rb", "\ra"})
        void areNeverEmptyAndHoldNoBlanks(String key) {
            for (String command : new String[] {"l", "r", "n", "e", "w", "sl", "sr", "sn", "se", "sw"}) {
                assertThat(parse(command, key, "1 1")).isEqualTo(Malformed.INVALID_KEY);
            }
        }

        @Test
        void haveUpTo256Bytes() {
            Key longest = Objects.requireNonNull(Key.copyOf(bytes("k".repeat(256)), 0, 256));
            assertThat(parse("w", "k".repeat(256), "1")).isEqualTo(new Request.Wait(longest, 1));
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
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.WRONG_FIELD_COUNT);
        }

        @ParameterizedTest
        @CsvSource({"r, ''", "r, ' '", "sr, ''", "n, ''", "n, ' '", "sn, ''"})
        void ofAnEmptyToken(String command, String argument) {
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.EMPTY_TOKEN);
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
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.INVALID_NUMBER);
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
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.INVALID_TIMEOUT);
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
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.INVALID_LEASE);
        }

        @ParameterizedTest
        @CsvSource({"sl, 1 0", "sl, 1 -1", "sl, 1 -0 5", "se, 0", "se, -3 5"})
        void ofALimit(String command, String argument) {
            assertThat(parse(command, "job", argument)).isEqualTo(Malformed.INVALID_LIMIT);
        }

        @Test
        void haveTheNumbersThatLogsKnow() {
            assertThat(Malformed.values()).extracting(Malformed::code).containsExactly(3, 4, 5, 6, 7, 8, 9, 13);
            assertThat(Malformed.INVALID_LIMIT.code()).isEqualTo(13);
        }
    }

    @Nested
    class TheGreatestNumbers {
        @Test
        void ofSecondsAreTaken() {
            long most = 9_223_372_036L;
            assertThat(parse("l", "job", most + " " + most)).isEqualTo(new Request.Acquire(lock(most, true), most));
            assertThat(parse("w", "job", "+" + most)).isEqualTo(new Request.Wait(KEY, most));
            assertThat(parse("n", "job", TOKEN + " " + most)).isEqualTo(new Request.Renew(KEY, READ, most));
        }

        @Test
        void ofALimitAreTaken() {
            assertThat(parse("se", "job", Long.MAX_VALUE + ""))
                    .isEqualTo(new Request.Enqueue(semaphore(Long.MAX_VALUE, 33, true)));
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
            assertThat(parse("r", "job", token)).isEqualTo(new Request.Release(KEY, Token.NEVER_ISSUED));
        }
    }
}
