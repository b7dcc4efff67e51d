package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.ForwardingEnvironment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The machine was suspended, so Consul may have ended the sessions although the gateway has renewed
 * them in time. Both clocks stand still until they are moved.
 */
@Execution(ExecutionMode.CONCURRENT)
class UnconfirmedSessionTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final FakeClock clock = new FakeClock();
    private final AtomicLong timeOfDay = new AtomicLong();
    private final AtomicBoolean refused = new AtomicBoolean();
    private final Set<String> refusedSessions = ConcurrentHashMap.newKeySet();

    /** The longest pause of each thread, in nanoseconds. */
    private final Map<Thread, Long> pauses = new ConcurrentHashMap<>();

    private final AtomicInteger renewals = new AtomicInteger();
    private final FakeCluster consul = new FakeCluster();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    private final Environment environment = new ForwardingEnvironment(new SystemEnvironment(clock::nanos)) {
        @Override
        public long timeOfDay() {
            return timeOfDay.get();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
            pauses.merge(Thread.currentThread(), nanos, Math::max);
            super.sleep(Math.min(nanos, 1_000_000));
        }
    };

    private final Sessions sessions = sessions();

    private Sessions sessions() {
        ConsulApi link = new ForwardingConsulApi(new FakeConsul(consul)) {
            @Override
            public boolean renewSession(String id) {
                if (refused.get() || refusedSessions.contains(id)) {
                    throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "refused");
                }
                boolean renewed = super.renewSession(id);
                renewals.incrementAndGet();
                return renewed;
            }
        };
        return new Sessions(environment, link, "gw", TTL, () -> {}, lost::addAll);
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    /** Makes Consul answer again, with the next attempt to renew due. */
    private void answersAgain() {
        refused.set(false);
        clock.advance(Duration.ofSeconds(1));
    }

    private void sleep(Duration time) {
        timeOfDay.addAndGet(time.toNanos());
    }

    @Test
    void aSuspendedMachineBelievesInNothingUntilItHasRenewed() {
        sessions.start();
        String own = sessions.lockSession();
        refused.set(true);
        sleep(TTL);

        assertThat(sessions.isSafe(own)).isFalse();
        assertThatThrownBy(sessions::lockSession).isInstanceOf(ConsulException.class);
        assertThatThrownBy(() -> assertThat(sessions.requireConfirmed(own)).isTrue())
                .isInstanceOf(ConsulException.class);
        assertThat(lost).isEmpty();

        answersAgain();
        Polling.until("it is safe again", () -> sessions.isSafe(own));
        assertThat(sessions.requireConfirmed(own)).isTrue();
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(lost).isEmpty();
    }

    /** The calls of many keys find the same session unsafe. */
    @Test
    void threadsThatAskAtTheSameTimeShareARenewal() throws InterruptedException {
        AtomicBoolean held = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        List<Boolean> confirmed = new CopyOnWriteArrayList<>();
        ConsulApi slow = new ForwardingConsulApi(new FakeConsul(consul)) {
            @Override
            public boolean renewSession(String id) {
                asked.incrementAndGet();
                holdWhile(held::get);
                return super.renewSession(id);
            }
        };
        Environment withoutUpkeep = new ForwardingEnvironment(environment) {
            @Override
            public Timer repeat(String name, long nanos, Runnable task) {
                return () -> {};
            }
        };
        try (Sessions made = new Sessions(withoutUpkeep, slow, "s", TTL, () -> {}, lost::addAll)) {
            made.start();
            String own = made.lockSession();
            held.set(true);
            sleep(TTL);

            Thread first = Thread.ofPlatform().daemon().start(() -> confirmed.add(made.isConfirmed(own)));
            Polling.until("the first asks", () -> asked.get() == 1);
            Thread second = Thread.ofPlatform().daemon().start(() -> confirmed.add(made.isConfirmed(own)));
            Polling.until("the second waits", () -> second.getState() == Thread.State.BLOCKED || asked.get() == 2);
            held.set(false);
            first.join();
            second.join();
        }
        assertThat(confirmed).containsExactly(true, true);
        assertThat(asked).hasValue(1);
    }

    /** The first one has asked before the session ended. */
    @Test
    void threadsShareOnlyARenewalThatBeginsAfterTheyHaveAsked() throws InterruptedException {
        AtomicBoolean held = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        List<Boolean> found = new CopyOnWriteArrayList<>();
        ConsulApi slow = new ForwardingConsulApi(new FakeConsul(consul)) {
            @Override
            public boolean renewSession(String id) {
                boolean renewed = super.renewSession(id);
                asked.incrementAndGet();
                holdWhile(held::get);
                return renewed;
            }
        };
        try (Sessions made = new Sessions(environment, slow, "s", TTL, () -> {}, lost::addAll)) {
            made.start();
            String own = made.lockSession();
            Thread first = Thread.ofPlatform().daemon().start(() -> made.exists(own));
            Polling.until("the first asks", () -> asked.get() == 1);
            consul.endSession(own);
            List<Thread> later = Stream.generate(
                            () -> Thread.ofPlatform().daemon().start(() -> found.add(made.exists(own))))
                    .limit(3)
                    .toList();
            Polling.until(
                    "they wait or ask",
                    () -> later.stream().allMatch(each -> each.getState() == Thread.State.BLOCKED) || asked.get() > 1);
            held.set(false);
            first.join();
            for (Thread each : later) {
                each.join();
            }
            assertThat(found).containsExactly(false, false, false);
            assertThat(asked).hasValue(2);
        }
    }

    /** One of many sessions may be renewed late. */
    @Test
    void aSessionThatHasBeenRenewedWaitsForNoOther() {
        sessions.start();
        String own = sessions.lockSession();
        String slot = sessions.takeSlotSession(id -> true);
        refusedSessions.add(slot);
        sleep(TTL);
        Polling.until("its own session is renewed", () -> renewals.get() > 0 && sessions.isSafe(own));
        assertThat(sessions.isSafe(slot)).isFalse();

        pauses.clear();
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(sessions.requireConfirmed(own)).isTrue();
        assertThat(pauses).doesNotContainKey(Thread.currentThread());
    }

    @Test
    void aSessionThatHasEndedMeanwhileIsLost() {
        sessions.start();
        String own = sessions.lockSession();
        refused.set(true);
        consul.endSession(own);
        sleep(TTL.multipliedBy(2));

        answersAgain();
        Polling.until("the session is lost", () -> lost.contains(own));
        assertThat(sessions.requireConfirmed(own)).isFalse();
    }

    /** A step back has no effect, and a step forward costs one renewal. */
    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, -100, 100, 9_000, 86_400_000})
    void aClockThatIsSetTakesNothingAway(long millis) {
        sessions.start();
        String own = sessions.lockSession();
        sleep(Duration.ofMillis(millis));

        Polling.until("it is safe", () -> sessions.isSafe(own));
        assertThat(sessions.lockSession()).isEqualTo(own);
        assertThat(sessions.isSafe(own)).isTrue();
        assertThat(renewals.get()).isLessThanOrEqualTo(1);
        assertThat(lost).isEmpty();
    }

    /**
     * The first one could be of another Consul than the gateway's own session, whose end the
     * gateway has not seen.
     */
    @Test
    void aSlotSessionIsUsedOnlyIfConsulHasTheGatewaysOwn() {
        List<String> created = new CopyOnWriteArrayList<>();
        ConsulApi losing = new ForwardingConsulApi(new FakeConsul(consul)) {
            @Override
            public String createSession(String name, Duration ttl) {
                if (created.size() == 1) {
                    consul.endSession(created.getFirst());
                }
                created.add(super.createSession(name, ttl));
                return created.getLast();
            }
        };
        try (Sessions made = new Sessions(environment, losing, "l", TTL, () -> {}, lost::addAll)) {
            made.start();
            assertThat(made.takeSlotSession(id -> true)).isEqualTo(created.get(3));
            assertThat(lost).containsExactly(created.getFirst());
            Polling.until("the first one has ended", () -> consul.sessions().size() == 2);
        }
    }
}
