package io.flockgate.gateway.tcp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.tcp.RequestParser.FrameFault;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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

        @ParameterizedTest
        @CsvSource({
            "l, 1, true",
            "l, 0, false",
            "sl, 1 3, true",
            "sl, 0 3, false",
            "w, 1, true",
            "w, 0, false",
            "e, 60, false"
        })
        void mayWaitIfTheyHaveTimeForIt(String command, String argument, boolean mayWait) {
            assertThat(requireNonNull(parse(command, "job", argument)).mayWait())
                    .isEqualTo(mayWait);
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
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INVALID")
    void aCommandIsFoundByItsWord(Command command) {
        assertThat(Command.of(Frames.of(command.text(), "key", "0"))).isEqualTo(command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "x", "sx", "L", "ll", "sl ", "sll", "pin", "pings", "Stats", "invalid", "\u00ff"})
    void anyOtherWordIsNoCommand(String word) {
        assertThat(Command.of(Frames.of(word, "key", "0"))).isEqualTo(Command.INVALID);
    }

    @ParameterizedTest
    @EnumSource(names = {"L", "R", "N", "E", "W"})
    void aCommandForSemaphoresHasTheAnswersOfThatForLocksAndCapsOnHolders(Command command) {
        assertThat(Command.valueOf("S" + command).answers())
                .filteredOn(answer -> !answer.name().startsWith("ERROR_MAX_HOLDERS"))
                .containsExactlyElementsOf(command.answers());
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "r", "n", "e", "w", "sl", "sr", "sn", "se", "sw"})
    void everyCommandNeedsAKey(String command) {
        for (String key : new String[] {"", "a b", "\ra"}) {
            assertThat(faultOf(command, key, "1 1")).isEqualTo(FrameFault.INVALID_KEY);
        }
    }

    @Nested
    class Faults {
        @ParameterizedTest
        @CsvSource({
            "l, '', WRONG_FIELD_COUNT",
            "l, ' ', WRONG_FIELD_COUNT",
            "l, 1 2 3, WRONG_FIELD_COUNT",
            "e, 1 2, WRONG_FIELD_COUNT",
            "sl, '', WRONG_FIELD_COUNT",
            "sl, 1, WRONG_FIELD_COUNT",
            "sl, 1 2 3 4, WRONG_FIELD_COUNT",
            "se, '', WRONG_FIELD_COUNT",
            "se, 1 2 3, WRONG_FIELD_COUNT",
            "n, t 1 2, WRONG_FIELD_COUNT",
            "sn, t 1 2, WRONG_FIELD_COUNT",
            "r, '', EMPTY_TOKEN",
            "r, ' ', EMPTY_TOKEN",
            "sr, '', EMPTY_TOKEN",
            "n, '', EMPTY_TOKEN",
            "n, ' ', EMPTY_TOKEN",
            "sn, '', EMPTY_TOKEN",
            "l, x, INVALID_NUMBER",
            "l, 1 x, INVALID_NUMBER",
            "l, 1.0, INVALID_NUMBER",
            "l, 1_0, INVALID_NUMBER",
            "l, 9223372036854775808, INVALID_NUMBER",
            "sl, x 1, INVALID_NUMBER",
            "sl, 1 x, INVALID_NUMBER",
            "sl, 1 1 x, INVALID_NUMBER",
            "e, x, INVALID_NUMBER",
            "se, x, INVALID_NUMBER",
            "se, 1 x, INVALID_NUMBER",
            "se, 9223372036854775808, INVALID_NUMBER",
            "w, '', INVALID_NUMBER",
            "w, x, INVALID_NUMBER",
            "w, 5 6, INVALID_NUMBER",
            "sw, ' ', INVALID_NUMBER",
            "n, t x, INVALID_NUMBER",
            "sn, t 1e3, INVALID_NUMBER",
            "l, -1, INVALID_TIMEOUT",
            "sl, -1 1, INVALID_TIMEOUT",
            "w, -1, INVALID_TIMEOUT",
            "sw, -7, INVALID_TIMEOUT",
            "l, 9223372037, INVALID_TIMEOUT",
            "sl, 9223372037 1, INVALID_TIMEOUT",
            "w, 9223372036854775807, INVALID_TIMEOUT",
            "l, 1 0, INVALID_LEASE",
            "l, 1 -0, INVALID_LEASE",
            "l, 1 -5, INVALID_LEASE",
            "l, 1 9223372037, INVALID_LEASE",
            "sl, 1 1 0, INVALID_LEASE",
            "e, 0, INVALID_LEASE",
            "e, 9223372037, INVALID_LEASE",
            "se, 1 0, INVALID_LEASE",
            "n, t 0, INVALID_LEASE",
            "sn, t -1, INVALID_LEASE",
            "n, t 9223372037, INVALID_LEASE",
            "sl, 1 0, INVALID_LIMIT",
            "sl, 1 -1, INVALID_LIMIT",
            "sl, 1 -0 5, INVALID_LIMIT",
            "se, 0, INVALID_LIMIT",
            "se, -3 5, INVALID_LIMIT"
        })
        void ofAnArgument(String command, String argument, FrameFault fault) {
            assertThat(faultOf(command, "job", argument)).isEqualTo(fault);
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

    @Test
    void aTokenThatIsNoneIsHeldByNobodyButNoFault() {
        assertThat(parse("r", "job", "t")).isEqualTo(new LockRequest.Release(KEY, Token.NEVER_ISSUED));
        assertThat(parse("n", "job", "t 5")).isEqualTo(new LockRequest.Renew(KEY, Token.NEVER_ISSUED, 5));
    }
}
