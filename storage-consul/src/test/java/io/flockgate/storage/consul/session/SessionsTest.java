package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.ForwardingEnvironment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
    private static final String REFUSAL =
            "Consul answered 500: Invalid Session TTL '10000000000', must be between [20s=24h0m0s]";

    private final FakeClock clock = new FakeClock();
    private final Environment environment = new SystemEnvironment(clock::nanos);
    private final FakeCluster consul = new FakeCluster();
    private final List<Sessions> opened = new ArrayList<>();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable ConsulException> missing = new AtomicReference<>();
    private final Sessions sessions = sessions(new FakeConsul(consul));

    /** Whether some calls to Consul hang. */
    private final AtomicBoolean hung = new AtomicBoolean();

    private Sessions sessions(ConsulApi api) {
        Sessions made = new Sessions(environment, api, "test", TTL, this::rights, lost::addAll);
        opened.add(made);
        return made;
    }

    private Sessions started(ConsulApi api) {
        Sessions made = sessions(api);
        made.start();
        return made;
    }

    private void rights() {
        ConsulException e = missing.get();
        if (e != null) {
            throw e;
        }
    }

    @AfterEach
    void close() {
        hung.set(false);
        opened.forEach(Sessions::close);
    }

    @Test
    void whatIsNotConfirmedInTimeIsGivenUpAndBegunAnewLater() {
        FakeConsul link = new FakeConsul(consul);
        Sessions cut = started(link);
        String first = cut.lockSession();
        link.setCutOff(true);

        clock.advance(TTL.minusNanos(1));
        assertThat(cut.lockSession()).isEqualTo(first);
        assertThat(lost).isEmpty();
        clock.advance(Duration.ofNanos(1));
        assertThatThrownBy(cut::lockSession).isInstanceOf(ConsulException.class);
        Polling.until("the first session is given up", () -> lost.contains(first));
        assertThat(cut.failure()).isPresent();

        link.setCutOff(false);
        clock.advance(Duration.ofSeconds(1));
        Polling.until("Consul answers again", () -> cut.failure().isEmpty());
        assertThat(cut.lockSession()).isNotEqualTo(first);
        Polling.until("the first session ends", () -> !consul.sessions().contains(first));
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

    /**
     * @param renewals receives the session's id before each renewal, on the renewing thread
     */
    private Sessions keeping(int holders, Consumer<String> renewals) {
        FakeConsul link = new FakeConsul(consul);
        Sessions keeping = started(link);
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < holders; i++) {
            taken.add(keeping.takeSlotSession(id -> !taken.contains(id)));
        }
        assertThat(taken).hasSize(holders);
        link.setVisitor((call, id) -> {
            if (call == Call.RENEW_SESSION) {
                renewals.accept(id);
            }
        });
        return keeping;
    }

    @Test
    void theGatewaysOwnSessionDoesNotWaitForThoseOfSlots() {
        AtomicReference<String> own = new AtomicReference<>("");
        AtomicInteger ownRenewals = new AtomicInteger();
        hung.set(true);
        Sessions many = keeping(20, id -> {
            if (id.equals(own.get())) {
                ownRenewals.incrementAndGet();
            } else if (!own.get().isEmpty()) {
                hold();
            }
        });
        own.set(many.lockSession());
        clock.advance(TTL.dividedBy(2));
        Polling.until("the own session is renewed", () -> ownRenewals.get() == 1);
        clock.advance(TTL.dividedBy(2).minusSeconds(1));
        Polling.until("the own session is renewed again", () -> ownRenewals.get() == 2);
        assertThat(lost).isEmpty();
    }

    private void hold() {
        Polling.until("released", () -> !hung.get());
    }

    /** Without it, other gateways keep the slots of this one for longer after its death. */
    @Test
    void aNodeThatConsulHasNotReportedIsReadAgain() {
        FakeConsul link = new FakeConsul(consul);
        link.failNext(FakeConsul.Call.SESSION_NODE, new Fault.Rejected(FailureKind.UNAVAILABLE));
        Sessions located = started(link);
        String own = located.lockSession();
        Polling.until("the node is known", () -> {
            clock.advance(Duration.ofMillis(100));
            return located.origin(own).node() != null;
        });
    }

    @Test
    void aNewSessionIsMadeBeforeOldOnesAreEnded() {
        hung.set(true);
        FakeConsul link = new FakeConsul(consul);
        link.setVisitor((call, id) -> {
            if (call == Call.DESTROY_SESSION) {
                hold();
            }
        });
        Sessions many = started(link);
        String first = many.lockSession();

        many.giveUpAll();

        Polling.until("there is a new session", () -> many.failure().isEmpty());
        assertThat(many.lockSession()).isNotEqualTo(first);
        hung.set(false);
        Polling.until("the old session has ended", () -> !consul.sessions().contains(first));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void oneRenewalThatFailsDoesNotKeepTheOthersFromBeingRenewed(int which) {
        Set<String> failing = ConcurrentHashMap.newKeySet();
        Set<String> renewed = ConcurrentHashMap.newKeySet();
        Sessions unused = keeping(20, id -> {
            failing.add(id);
            if (failing.size() == which) {
                throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "not this one");
            }
            renewed.add(id);
        });
        clock.advance(TTL.dividedBy(2));
        Polling.until("the other sessions are renewed", () -> renewed.size() >= 20);
        assertThat(lost).isEmpty();
    }

    @Test
    void aMissingRightIsSaidAndNoSessionIsMade() {
        missing.set(new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, "Permission denied"));

        sessions.start();

        assertThat(sessions.failure())
                .hasValueSatisfying(reason -> assertThat(reason).contains("Permission denied"));
        assertThatThrownBy(sessions::lockSession).hasMessageContaining("Permission denied");
        assertThat(consul.sessions()).isEmpty();
        missing.set(null);
        clock.advance(Duration.ofSeconds(1));
        Polling.until("Consul answers again", () -> sessions.failure().isEmpty());
    }

    /** Consul may have lost its data while the session was made. */
    @Test
    void thePreconditionIsCheckedAgainAfterTheSessionWasMade() {
        FakeConsul link = new FakeConsul(consul);
        link.setVisitor((call, id) -> {
            if (call == Call.CREATE_SESSION) {
                missing.set(new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, "lost"));
            }
        });
        Sessions made = started(link);
        assertThatThrownBy(made::lockSession).hasMessageContaining("lost");
        Polling.until("the session has ended", () -> consul.sessions().isEmpty());
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
        assertThat(consul.sessions()).hasSize(4);
    }

    @Test
    void holdersThatNobodyUsesEndInTheEndButForOne() {
        sessions.start();
        String first = sessions.takeSlotSession(id -> true);
        String second = sessions.takeSlotSession(id -> !id.equals(first));
        sessions.giveBackSlotSession(first);
        sessions.giveBackSlotSession(second);
        passWhileRenewing(() -> !consul.sessions().contains(second));

        assertThat(consul.sessions()).contains(first);
        assertThat(lost).isEmpty();
    }

    /** The address may lead to several agents. */
    @Test
    void eachSessionHasItsOwnNode() {
        ConsulApi several = new ForwardingConsulApi(new FakeConsul(consul)) {
            @Override
            public String sessionNode(String id) {
                return "node of " + id;
            }
        };
        Sessions spread = started(several);
        for (String id : List.of(spread.lockSession(), spread.takeSlotSession(any -> true))) {
            assertThat(spread.origin(id).node()).isEqualTo("node of " + id);
        }
        assertThat(spread.origin("unknown").node()).isNull();
    }

    @Test
    void closingEndsAllSessions() {
        sessions.start();
        String unused = sessions.takeSlotSession(id -> true);

        sessions.close();

        assertThat(consul.sessions()).isEmpty();
    }

    /**
     * Consul renews sessions but creates none, because an operator has raised the minimum TTL. It
     * is lowered while clients send no requests, because the gateway is not ready.
     */
    @Test
    void aMinimumThatHasBeenRaisedIsReportedUntilItIsLowered() {
        FakeConsul link = new FakeConsul(consul);
        Sessions strict = started(link);
        link.setVisitor((call, id) -> {
            if (call == Call.CREATE_SESSION) {
                throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, REFUSAL);
            }
        });
        assertThatThrownBy(() -> strict.takeSlotSession(id -> true)).hasMessageContaining("session_ttl_min");
        assertThat(strict.failure()).isEmpty();
        clock.advance(TTL.dividedBy(2));
        assertThat(strict.failure().orElse(""))
                .startsWith("Consul: --consul-session-ttl 10: ")
                .contains("session_ttl_min")
                .endsWith(REFUSAL);

        link.setVisitor((call, id) -> {});
        Polling.until("it is over", () -> {
            clock.advance(Duration.ofMillis(20));
            return strict.failure().isEmpty();
        });
        assertThat(consul.sessions()).hasSize(2);
        assertThat(strict.takeSlotSession(id -> true)).isIn(consul.sessions());
        assertThat(consul.sessions()).hasSize(2);
        assertThat(lost).isEmpty();
    }

    /**
     * Other gateways grant a slot as soon as its session ends, so its claimant is notified first.
     */
    @Test
    void aSessionThatIsGivenUpEndsWhenAllAreTold() {
        AtomicInteger ended = new AtomicInteger();
        Environment counted = new ForwardingEnvironment(environment) {
            @Override
            public Timer repeat(String name, long nanos, Runnable task) {
                return super.repeat(name, nanos, () -> {
                    task.run();
                    ended.addAndGet(name.equals("consul-ended-sessions") ? 1 : 0);
                });
            }
        };
        List<Boolean> lived = new CopyOnWriteArrayList<>();
        // Notifies slowly. Meanwhile a new session is created, and old ones could be ended.
        Consumer<Set<String>> tell = ids -> {
            Polling.until(
                    "there is a new session", () -> consul.sessions().stream().anyMatch(each -> !ids.contains(each)));
            int before = ended.get();
            Polling.until("sessions could have ended", () -> ended.get() >= before + 3);
            lived.add(consul.sessions().containsAll(ids));
        };
        try (Sessions slow = new Sessions(counted, new FakeConsul(consul), "slow", TTL, () -> {}, tell)) {
            slow.start();
            String own = slow.lockSession();
            slow.giveUpAll();
            assertThat(lived).containsExactly(true);
            Polling.until("it ends", () -> !consul.sessions().contains(own));
        }
    }

    /** Four at a time would need ten seconds for all, and lose those that come last. */
    @Test
    void moreSessionsAreRenewedSideBySideTheLongerARenewalTakes() {
        CountDownLatch together = new CountDownLatch(41);
        AtomicBoolean measures = new AtomicBoolean(true);
        Consumer<Session> renew = session -> {
            if (measures.get()) {
                clock.advance(Duration.ofMillis(100));
            } else {
                together.countDown();
                Await.await(together, "41 renewals side by side");
            }
        };
        SlotRenewals renewals = new SlotRenewals(
                environment, Duration.ofSeconds(6).toNanos(), new ConsulHealth(environment, "tests"), renew);
        List<Session> due = IntStream.range(0, 400)
                .mapToObj(i -> new Session("s" + i, Session.Moment.now(environment)))
                .toList();
        renewals.renewAndMeasure(due.getFirst());
        measures.set(false);
        clock.advance(Duration.ofSeconds(3));
        renewals.run(due);
        assertThat(together.getCount()).isZero();
    }
}
