package io.flockgate.gateway.rest.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSessionsTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";
    private static final Duration IDLE = Duration.ofSeconds(20);

    private final FakeEventLoop loop = new FakeEventLoop();
    private final ScriptedStorage storage = new ScriptedStorage(loop);
    private HttpSessions sessions = sessions(IDLE, 0, 0);

    private HttpSessions sessions(Duration idle, long most, long mostPerIp) {
        List<String> words = List.of("--http-port=1", "--http-session-idle-timeout=" + idle.toSeconds());
        GatewayConfig config = ((Invocation.Serve) CommandLine.read(words, Map.of())).config();
        Gate gate = new Gate(Map.of(Resource.SESSION, new Gate.Caps(most, mostPerIp)));
        SessionFactory factory = new SessionFactory(storage, true, new ClientLimits(gate, new StorageLimits(0, 0, 0)));
        return new HttpSessions(config, factory, gate, new SecureRandom());
    }

    private static ClientDescription peer(String address) {
        return new ClientDescription(Via.SESSION, null, address + ":1");
    }

    private String created(String address) {
        assertThat(sessions.admit(peer(address), "")).isEqualTo(Entry.ADMITTED);
        return sessions.create(loop, peer(address), ClientInfo.NONE, "");
    }

    private HttpSession found(String id) {
        return requireNonNull(sessions.find(id, "", loop.now()));
    }

    @CanIgnoreReturnValue
    private HttpPlay play(String id, String script) {
        HttpPlay session = new HttpPlay(loop, storage, found(id));
        session.play(script);
        return session;
    }

    private boolean exists(String id) {
        return sessions.find(id, "", loop.now()) != null;
    }

    private Future<Void> deleted(String id) {
        return requireNonNull(sessions.delete(id));
    }

    private void sweep() {
        sessions.sweep(loop);
        loop.run();
    }

    @Nested
    class ASession {
        @Test
        void hasAnIdThatNobodyCanGuessAndANumberOfItsOwn() {
            Set<String> ids = new HashSet<>();
            for (int i = 0; i < 1000; i++) {
                String id = created(A);
                assertThat(id).matches("[0-9a-f]{32}");
                ids.add(id);
                assertThat(found(id).number()).isEqualTo(1 + i);
            }
            assertThat(ids).hasSize(1000);
            assertThat(sessions.count()).isEqualTo(1000);
        }

        @Test
        void isUnknownFromTheMomentOfItsEndOn() {
            String id = created(A);
            play(id, "a: release k#9 -> release k#9");
            Future<Void> deleted = deleted(id);
            assertThat(exists(id)).isFalse();
            assertThat(sessions.delete(id)).isNull();
            loop.run();
            assertThat(deleted.isComplete()).isFalse();
            assertThat(sessions.count()).isOne();
            storage.releases.answer(ReleaseOutcome.RELEASED);
            loop.run();
            assertThat(deleted.succeeded()).isTrue();
            assertThat(sessions.count()).isZero();
        }

        @Test
        void isFoundByItsExactIdOnly() {
            String id = created(A);
            for (String other : List.of("", id + "0", id.substring(1), id.toUpperCase(java.util.Locale.ROOT) + " ")) {
                assertThat(exists(other)).isFalse();
            }
        }
    }

    @Nested
    class Caps {
        @Test
        void areCheckedForAllFirst() {
            sessions = sessions(IDLE, 2, 1);
            assertThat(created(A)).isNotEmpty();
            assertThat(sessions.admit(peer(A), "")).isEqualTo(Entry.FULL_FOR_PEER);
            assertThat(created(B)).isNotEmpty();
            assertThat(sessions.admit(peer(A), "")).isEqualTo(Entry.FULL);
            assertThat(sessions.count()).isEqualTo(2);
        }

        @Test
        void haveRoomAgainAfterASweep() {
            sessions = sessions(IDLE, 1, 1);
            assertThat(created(A)).isNotEmpty();
            loop.pass(IDLE.multipliedBy(2).plusNanos(1));
            sweep();
            assertThat(created(A)).isNotEmpty();
        }
    }

    @Nested
    class ASweepOfSessions {
        @Test
        void endsWhatHasBeenIdleForMoreThanTwiceTheTimeout() {
            String id = created(A);
            loop.pass(IDLE.multipliedBy(2));
            sweep();
            assertThat(sessions.count()).isOne();
            loop.pass(Duration.ofNanos(1));
            sweep();
            assertThat(sessions.count()).isZero();
            assertThat(exists(id)).isFalse();
        }

        @Test
        void leavesWhatHasBeenFoundMeanwhile() {
            String id = created(A);
            loop.pass(IDLE.multipliedBy(2));
            assertThat(exists(id)).isTrue();
            loop.pass(IDLE.multipliedBy(2));
            sweep();
            assertThat(exists(id)).isTrue();
        }

        @Test
        void leavesWhatIsFoundBetweenItsTwoReads() {
            String id = created(A);
            loop.pass(IDLE.multipliedBy(3));
            sessions.sweep(loop);
            assertThat(exists(id)).isTrue();
            loop.run();
            assertThat(exists(id)).isTrue();
        }

        @Test
        void leavesACallUnderWayAndThoseBehindItHoweverLongTheyTake() {
            String id = created(A);
            HttpPlay session = play(id, "a: release a#9 -> release a#9; b: release b#9");
            loop.pass(Duration.ofDays(1));
            sweep();
            assertThat(sessions.count()).isOne();
            session.play("release: RELEASED -> a RELEASED, release b#9");
            loop.pass(Duration.ofDays(1));
            sweep();
            assertThat(sessions.count()).isOne();
            session.play("release: RELEASED -> b RELEASED");
            loop.pass(IDLE.multipliedBy(2));
            sweep();
            assertThat(sessions.count()).isOne();
            loop.pass(IDLE);
            sweep();
            assertThat(sessions.count()).isZero();
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 9_223_372_036L})
        void withoutATimeoutOrWithTheLongestEndsNothing(long seconds) {
            sessions = sessions(Duration.ofSeconds(seconds), 0, 0);
            String id = created(A);
            loop.pass(Duration.ofDays(10_000));
            sweep();
            assertThat(exists(id)).isTrue();
        }

        @Test
        void ofVeryManyComesInBites() {
            for (int i = 0; i < 10_000; i++) {
                assertThat(created(A)).isNotEmpty();
            }
            loop.pass(IDLE.multipliedBy(3));
            sweep();
            assertThat(sessions.count()).isEqualTo(10_000 - 4096);
            loop.pass(Duration.ofMillis(1));
            assertThat(sessions.count()).isEqualTo(10_000 - 2 * 4096);
            loop.pass(Duration.ofMillis(1));
            assertThat(sessions.count()).isZero();
            assertThat(loop.timersRunning()).isZero();
        }

        @ParameterizedTest
        @CsvSource({"1, 1000", "20, 20000", "30, 30000", "31, 30000", "9223372036, 30000", "0, 10000"})
        void isDueEveryTimeoutAndOftenEnough(long idle, long millis) {
            assertThat(sessions(Duration.ofSeconds(idle), 0, 0).sweepIntervalMillis())
                    .isEqualTo(millis);
        }
    }

    @Nested
    class TheEndOfAll {
        @Test
        void waitsForEachAndFailsForNone() {
            for (int i = 0; i < 3; i++) {
                play(created(A), "hold k" + i);
            }
            Future<Void> ended = sessions.endAll();
            loop.run();
            storage.releases.fail(ScriptedStorage.failure(Effect.UNKNOWN));
            storage.releases.answer(ReleaseOutcome.RELEASED);
            loop.run();
            assertThat(ended.isComplete()).isFalse();
            storage.releases.answer(ReleaseOutcome.NOT_HELD);
            loop.run();
            assertThat(ended.succeeded()).isTrue();
        }
    }
}
