package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class SessionsTest extends SessionBed {
    private static final String REFUSAL =
            "Consul answered 500: Invalid Session TTL '10000000000', must be between [20s=24h0m0s]";

    /** Whether some calls to Consul hang. */
    private final AtomicBoolean hung = new AtomicBoolean(true);

    @AfterEach
    void letGo() {
        hung.set(false);
    }

    @Test
    void whatIsNotConfirmedInTimeIsGivenUpAndBegunAnewLater() {
        String first = started();
        link.setCutOff(true);
        clock.advance(TTL.minusNanos(1));
        assertThat(sessions.lockSession()).isEqualTo(first);
        assertThat(lost).isEmpty();
        clock.advance(Duration.ofNanos(1));
        assertThatThrownBy(sessions::lockSession).isInstanceOf(ConsulException.class);
        Polling.until("the first session is given up", () -> lost.contains(first));
        assertThat(sessions.failure()).isPresent();
        link.setCutOff(false);
        clock.advance(Duration.ofSeconds(1));
        Polling.until("Consul answers again", () -> sessions.failure().isEmpty());
        assertThat(sessions.lockSession()).isNotEqualTo(first);
        Polling.until("the first session ends", () -> !consul.sessions().contains(first));
    }

    /** Takes 20 sessions for slots of one key. */
    private void takeMany() {
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            taken.add(sessions.takeSlotSession(id -> !taken.contains(id)));
        }
        assertThat(taken).hasSize(20);
    }

    @Test
    void theGatewaysOwnSessionDoesNotWaitForThoseOfSlots() {
        AtomicInteger ownRenewals = new AtomicInteger();
        String own = started();
        takeMany();
        link.setFaults(request -> {
            ownRenewals.addAndGet(request.is(Call.RENEW_SESSION, own) ? 1 : 0);
            return request.call() == Call.RENEW_SESSION && !request.about().equals(own)
                    ? Fault.heldWhile(hung::get)
                    : new Fault.None();
        });
        clock.advance(TTL.dividedBy(2));
        Polling.until("the own session is renewed", () -> ownRenewals.get() == 1);
        clock.advance(TTL.dividedBy(2).minusSeconds(1));
        Polling.until("the own session is renewed again", () -> ownRenewals.get() == 2);
        assertThat(lost).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void oneRenewalThatFailsDoesNotKeepTheOthersFromBeingRenewed(int which) {
        Set<String> asked = ConcurrentHashMap.newKeySet();
        sessions.start();
        takeMany();
        link.setFaults(
                request -> request.call() == Call.RENEW_SESSION && asked.add(request.about()) && asked.size() == which
                        ? new Fault.Rejected(FailureKind.UNAVAILABLE)
                        : new Fault.None());
        clock.advance(TTL.dividedBy(2));
        Polling.until("the other sessions are renewed", () -> asked.size() == 21);
        assertThat(lost).isEmpty();
    }

    /** Without it, other gateways keep the slots of this one for longer after its death. */
    @Test
    void aNodeThatConsulHasNotReportedIsReadAgain() {
        link.failNext(Call.SESSION_NODE, new Fault.Rejected(FailureKind.UNAVAILABLE));
        String own = started();
        assertThat(sessions.origin(own).node()).isNull();
        Polling.until("the node is known", () -> {
            clock.advance(Duration.ofMillis(100));
            return sessions.origin(own).node() != null;
        });
    }

    @Test
    void aNewSessionIsMadeBeforeOldOnesAreEnded() {
        link.failAll(Call.DESTROY_SESSION, Fault.heldWhile(hung::get));
        String first = started();
        sessions.giveUpAll();
        Polling.until("there is a new session", () -> sessions.failure().isEmpty());
        assertThat(sessions.lockSession()).isNotEqualTo(first);
        hung.set(false);
        Polling.until("the old session has ended", () -> !consul.sessions().contains(first));
    }

    private static void deny(String why) {
        throw new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, why);
    }

    @Test
    void aMissingRightIsSaidAndNoSessionIsMade() {
        AtomicBoolean made = new AtomicBoolean();
        link.failAll(Call.CREATE_SESSION, new Fault.Before(() -> made.set(true)));
        precondition = () -> deny("Permission denied");
        sessions.start();
        assertThat(sessions.failure().orElseThrow()).contains("Permission denied");
        assertThatThrownBy(sessions::lockSession).hasMessageContaining("Permission denied");
        assertThat(made).isFalse();
        precondition = () -> {};
        clock.advance(Duration.ofSeconds(1));
        Polling.until("Consul answers again", () -> sessions.failure().isEmpty());
    }

    /** Consul may have lost its data while the session was made. */
    @Test
    void thePreconditionIsCheckedAgainAfterTheSessionWasMade() {
        link.failNext(Call.CREATE_SESSION, new Fault.Before(() -> precondition = () -> deny("lost")));
        assertThatThrownBy(this::started).hasMessageContaining("lost");
        Polling.until("the session has ended", () -> consul.sessions().isEmpty());
    }

    @Test
    void keysShareHoldersAndOneKeyHasEachOnce() {
        String own = started();
        Set<String> ofOneKey = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            assertThat(ofOneKey.add(sessions.takeSlotSession(id -> !ofOneKey.contains(id))))
                    .isTrue();
        }
        assertThat(sessions.takeSlotSession(id -> true)).isIn(ofOneKey);
        assertThat(ofOneKey).doesNotContain(own);
        assertThat(consul.sessions()).hasSize(4);
        sessions.close();
        assertThat(consul.sessions()).isEmpty();
    }

    @Test
    void holdersThatNobodyUsesEndInTheEndButForOne() {
        sessions.start();
        String first = sessions.takeSlotSession(id -> true);
        String second = sessions.takeSlotSession(id -> !id.equals(first));
        sessions.giveBackSlotSession(first);
        sessions.giveBackSlotSession(second);
        // Only as fast as renewals, which run in real time, can keep up.
        Polling.until("the second has ended", () -> {
            Duration unrenewed = Duration.ofNanos(clock.nanos() - sessions.oldestRenewal());
            clock.advance(unrenewed.compareTo(TTL.dividedBy(2)) < 0 ? Duration.ofSeconds(1) : Duration.ZERO);
            return !consul.sessions().contains(second);
        });
        assertThat(consul.sessions()).contains(first);
        assertThat(lost).isEmpty();
    }

    /** The address may lead to several agents. */
    @Test
    void eachSessionHasItsOwnNode() {
        ConsulApi several = new ForwardingConsulApi(link) {
            @Override
            public String sessionNode(String id) {
                return "node of " + id;
            }
        };
        try (Sessions spread = new Sessions(environment, several, "test", TTL, () -> {}, lost::addAll)) {
            spread.start();
            for (String id : List.of(spread.lockSession(), spread.takeSlotSession(any -> true))) {
                assertThat(spread.origin(id).node()).isEqualTo("node of " + id);
            }
            assertThat(spread.origin("unknown").node()).isNull();
        }
    }

    /**
     * Consul renews sessions but creates none, because an operator has raised the minimum TTL. It
     * is lowered while clients send no requests, because the gateway is not ready.
     */
    @Test
    void aMinimumThatHasBeenRaisedIsReportedUntilItIsLowered() {
        sessions.start();
        link.failAll(Call.CREATE_SESSION, new Fault.Before(() -> {
            throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, REFUSAL);
        }));
        assertThatThrownBy(() -> sessions.takeSlotSession(id -> true)).hasMessageContaining("session_ttl_min");
        assertThat(sessions.failure()).isEmpty();
        clock.advance(TTL.dividedBy(2));
        assertThat(sessions.failure().orElse(""))
                .startsWith("Consul: --consul-session-ttl 10: ")
                .contains("session_ttl_min")
                .endsWith(REFUSAL);
        link.failNone();
        Polling.until("it is over", () -> {
            clock.advance(Duration.ofMillis(20));
            return sessions.failure().isEmpty();
        });
        assertThat(consul.sessions()).hasSize(2);
        assertThat(sessions.takeSlotSession(id -> true)).isIn(consul.sessions());
        assertThat(consul.sessions()).hasSize(2);
        assertThat(lost).isEmpty();
    }

    private int rounds() {
        return rounds.getOrDefault("consul-ended-sessions", 0);
    }

    /**
     * Other gateways grant a slot as soon as its session ends, so its claimant is notified first,
     * which takes long here. Meanwhile a new session is created, and old ones could be ended.
     */
    @Test
    void aSessionThatIsGivenUpEndsWhenAllAreTold() {
        List<Boolean> lived = new CopyOnWriteArrayList<>();
        listener = ids -> {
            Polling.until(
                    "there is a new session", () -> consul.sessions().stream().anyMatch(each -> !ids.contains(each)));
            int before = rounds();
            Polling.until("sessions could have ended", () -> rounds() >= before + 3);
            lived.add(consul.sessions().containsAll(ids));
        };
        String own = started();
        sessions.giveUpAll();
        assertThat(lived).containsExactly(true);
        Polling.until("it ends", () -> !consul.sessions().contains(own));
    }

    /** With four at a time, those that come last would be lost over a slow link. */
    @Test
    void moreSessionsAreRenewedConcurrentlyTheMoreThereAre() {
        CountDownLatch together = new CountDownLatch(12);
        Consumer<Session> renew = session -> {
            together.countDown();
            Await.await(together, "12 concurrent renewals");
        };
        SlotRenewals renewals =
                new SlotRenewals(environment, TTL.toNanos(), new ConsulHealth(environment, "tests"), renew);
        List<Session> due = IntStream.range(0, 400)
                .mapToObj(i -> new Session("s" + i, Session.Moment.now(environment)))
                .toList();
        clock.advance(TTL.dividedBy(2));
        renewals.run(due);
        assertThat(together.getCount()).isZero();
    }
}
