package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway's clock stands still until a test moves it; Consul's runs. */
@Execution(ExecutionMode.CONCURRENT)
class SessionsTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final FakeClock clock = new FakeClock();
    private final Environment environment = new SystemEnvironment(clock::nanos);
    private final FakeConsul consul = new FakeConsul();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable ConsulException> missing = new AtomicReference<>();
    private final Sessions sessions =
            new Sessions(environment, consul.another(), "test", TTL, this::rights, lost::addAll);

    private final FakeConsul operator = consul;

    private void rights() {
        ConsulException e = missing.get();
        if (e != null) {
            throw e;
        }
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void theFirstSessionIsThereWhenStartComesBack() {
        sessions.start();

        assertThat(sessions.lockSession()).isIn(operator.sessions());
        assertThat(sessions.failure()).isEmpty();
        assertThat(sessions.isSafe(sessions.lockSession())).isTrue();
    }

    @Test
    void aTtlThatConsulRefusesIsToldWithItsFlag() {
        ConsulApi strict = new ForwardingConsulApi(consul.another()) {
            @Override
            public String createSession(String name, Duration ttl) {
                throw new ConsulException(
                        FailureKind.INVALID,
                        Effect.NOT_DONE,
                        "Consul answered 500: Invalid Session TTL '5000000000', must be between [10s=24h0m0s]");
            }
        };
        Duration ttl = Duration.ofSeconds(5);
        try (Sessions refused = new Sessions(environment, strict, "short", ttl, () -> {}, lost::addAll)) {
            refused.start();
            assertThat(refused.failure().orElse(""))
                    .startsWith("Consul: --consul-session-ttl 5: ")
                    .contains("Invalid Session TTL", "10s");
        }
    }

    @Test
    void whatIsNotConfirmedInTimeIsGivenUpAndBegunAnewLater() {
        FakeConsul link = consul.another();
        Set<String> gone = ConcurrentHashMap.newKeySet();
        try (Sessions cut = new Sessions(environment, link, "cut", TTL, () -> {}, gone::addAll)) {
            cut.start();
            String first = cut.lockSession();
            link.setCutOff(true);

            Polling.until("the session is in doubt", () -> !cut.isSafe(first));
            clock.advance(TTL.minusNanos(1));
            assertThatThrownBy(cut::lockSession).isInstanceOf(ConsulException.class);
            assertThat(gone).isEmpty();
            clock.advance(Duration.ofNanos(1));
            assertThatThrownBy(cut::lockSession).isInstanceOf(ConsulException.class);
            Polling.until("the first session is given up", () -> gone.contains(first));
            assertThat(cut.failure()).isPresent();

            link.setCutOff(false);
            clock.advance(Duration.ofSeconds(1));
            Polling.until("Consul answers again", () -> cut.failure().isEmpty());
            assertThat(cut.lockSession()).isNotEqualTo(first);
            Polling.until("the first session ends", () -> !operator.sessions().contains(first));
        }
    }

    @Test
    void renewalsKeepASessionSafe() {
        sessions.start();
        String id = sessions.lockSession();

        long end = clock.nanos() + TTL.multipliedBy(5).toNanos();
        passWhileRenewing(() -> clock.nanos() - end >= 0);

        assertThat(sessions.isSafe(id)).isTrue();
        assertThat(lost).isEmpty();
    }

    /** Lets time pass only as fast as renewals, which run in real time, can keep up. */
    private void passWhileRenewing(BooleanSupplier over) {
        Polling.until("enough time has passed", () -> {
            Duration unrenewed = Duration.ofNanos(clock.nanos() - sessions.oldestRenewal());
            if (unrenewed.compareTo(TTL.dividedBy(2)) < 0) {
                clock.advance(Duration.ofSeconds(1));
            }
            return over.getAsBoolean();
        });
    }

    @Test
    void aSessionThatConsulHasEndedIsLostAndReplaced() {
        sessions.start();
        String id = sessions.lockSession();
        operator.endSession(id);

        sessions.renewAllSoon();

        Polling.until("the session is given up", () -> lost.contains(id));
        assertThat(sessions.lockSession()).isNotEqualTo(id);
    }

    /** Called for each renewal with the session's id, on the renewing thread. */
    private interface Renewals {
        void before(String id);
    }

    private ConsulApi watched(Renewals renewals) {
        return new ForwardingConsulApi(consul.another()) {
            @Override
            public boolean renewSession(String id) {
                renewals.before(id);
                return super.renewSession(id);
            }
        };
    }

    private Sessions keeping(int holders, Renewals renewals) {
        // A session is created only while the gateway's own can be renewed.
        AtomicBoolean made = new AtomicBoolean();
        ConsulApi link = watched(id -> {
            if (made.get()) {
                renewals.before(id);
            }
        });
        Sessions keeping = new Sessions(environment, link, "many", TTL, () -> {}, lost::addAll);
        keeping.start();
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < holders; i++) {
            taken.add(keeping.takeSlotSession(id -> !taken.contains(id)));
        }
        assertThat(taken).hasSize(holders);
        made.set(true);
        return keeping;
    }

    /** One after the other, a few hundred renewals would take longer than the TTL. */
    @Test
    void sessionsAreRenewedSideBySide() {
        List<String> begun = new CopyOnWriteArrayList<>();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Sessions unused = keeping(20, id -> {
            begun.add(id);
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            atOnce.decrementAndGet();
        })) {
            clock.advance(TTL.dividedBy(2));
            Polling.until("all sessions are being renewed", () -> begun.size() >= 21);
            assertThat(most.get()).isGreaterThan(1);
            assertThat(begun.subList(0, 21)).doesNotHaveDuplicates();
        }
    }

    @Test
    void theGatewaysOwnSessionDoesNotWaitForThoseOfSlots() {
        AtomicReference<String> own = new AtomicReference<>("");
        AtomicInteger ownRenewals = new AtomicInteger();
        AtomicBoolean hung = new AtomicBoolean(true);
        try (Sessions many = keeping(20, id -> {
            if (id.equals(own.get())) {
                ownRenewals.incrementAndGet();
            } else if (!own.get().isEmpty()) {
                hold(hung);
            }
        })) {
            own.set(many.lockSession());
            clock.advance(TTL.dividedBy(2));
            Polling.until("the own session is renewed", () -> ownRenewals.get() == 1);
            clock.advance(TTL.dividedBy(2).minusSeconds(1));
            Polling.until("the own session is renewed again", () -> ownRenewals.get() == 2);
            hung.set(false);
        } finally {
            hung.set(false);
        }
        assertThat(lost).isEmpty();
    }

    private static void hold(AtomicBoolean held) {
        Polling.until("released", () -> !held.get());
    }

    @Test
    void aNewSessionIsMadeBeforeOldOnesAreEnded() {
        AtomicBoolean hung = new AtomicBoolean(true);
        ConsulApi slow = new ForwardingConsulApi(consul.another()) {
            @Override
            public void destroySession(String id) {
                hold(hung);
                super.destroySession(id);
            }
        };
        try (Sessions many = new Sessions(environment, slow, "slow", TTL, () -> {}, lost::addAll)) {
            many.start();
            String first = many.lockSession();

            many.giveUpAll();

            Polling.until("there is a new session", () -> many.failure().isEmpty());
            assertThat(many.lockSession()).isNotEqualTo(first);
            hung.set(false);
            Polling.until(
                    "the old session has ended", () -> !operator.sessions().contains(first));
        } finally {
            hung.set(false);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void oneRenewalThatFailsDoesNotKeepTheOthersFromBeingRenewed(int which) {
        Set<String> failing = ConcurrentHashMap.newKeySet();
        Set<String> renewed = ConcurrentHashMap.newKeySet();
        try (Sessions unused = keeping(20, id -> {
            failing.add(id);
            if (failing.size() == which) {
                throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "not this one");
            }
            renewed.add(id);
        })) {
            clock.advance(TTL.dividedBy(2));
            Polling.until("the other sessions are renewed", () -> renewed.size() >= 20);
            assertThat(lost).isEmpty();
        }
        assertThat(lost).isEmpty();
    }

    @Test
    void aMissingRightIsSaidAndNoSessionIsMade() {
        missing.set(new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, "Permission denied"));

        sessions.start();

        assertThat(sessions.failure())
                .hasValueSatisfying(reason -> assertThat(reason).contains("Permission denied"));
        assertThatThrownBy(sessions::lockSession).hasMessageContaining("Permission denied");
        assertThat(operator.sessions()).isEmpty();
        missing.set(null);
        clock.advance(Duration.ofSeconds(1));
        Polling.until("Consul answers again", () -> sessions.failure().isEmpty());
    }

    @Test
    void keysShareHoldersAndOneKeyHasEachOnce() {
        sessions.start();
        Set<String> ofOneKey = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            assertThat(ofOneKey.add(sessions.takeSlotSession(id -> !ofOneKey.contains(id))))
                    .isTrue();
        }

        assertThat(sessions.takeSlotSession(id -> true)).isIn(ofOneKey);
        assertThat(ofOneKey).doesNotContain(sessions.lockSession());
        assertThat(operator.sessions()).hasSize(4);
    }

    @Test
    void holdersThatNobodyUsesEndInTheEndButForOne() {
        sessions.start();
        String first = sessions.takeSlotSession(id -> true);
        String second = sessions.takeSlotSession(id -> !id.equals(first));
        sessions.giveBackSlotSession(first);
        sessions.giveBackSlotSession(second);
        passWhileRenewing(() -> !operator.sessions().contains(second));

        assertThat(operator.sessions()).contains(first);
        assertThat(lost).isEmpty();
    }

    /** The address may lead to several agents. */
    @Test
    void eachSessionHasItsOwnNode() {
        ConsulApi several = new ForwardingConsulApi(consul.another()) {
            @Override
            public SessionRead watchSession(String id, long index, Duration wait) {
                SessionRead read = super.watchSession(id, index, wait);
                return new SessionRead("node of " + id, read.index());
            }
        };
        try (Sessions spread = new Sessions(environment, several, "spread", TTL, () -> {}, lost::addAll)) {
            spread.start();
            for (String id : List.of(spread.lockSession(), spread.takeSlotSession(any -> true))) {
                assertThat(spread.origin(id).node()).isEqualTo("node of " + id);
            }
            assertThat(spread.origin("unknown").node()).isNull();
        }
    }

    @Test
    void closingEndsAllSessions() {
        sessions.start();
        String unused = sessions.takeSlotSession(id -> true);

        sessions.close();

        assertThat(operator.sessions()).isEmpty();
    }
}
