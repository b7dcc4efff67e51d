package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.FakeConsul.Request;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Detached grants: each has its own session, which does not end with its gateway. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class DetachedGrantTest {
    private static final int LEASE = 30;

    private final Claim claim;
    private final Claim longer;
    private final Claim lasting;
    private final StandIns site = new StandIns();
    private final List<String> renewed = new CopyOnWriteArrayList<>();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private final AtomicInteger inVain = new AtomicInteger();
    private final Gateway holding = site.gateway(86_400);
    private final Gateway other = site.gateway(86_400);

    DetachedGrantTest(Kind kind) {
        this.claim = Site.claim(kind, LEASE);
        this.longer = new Claim(claim.key(), kind, 1, 3600, false);
        this.lasting = Site.claim(kind, 200_000);
        holding.api().setFaults(this::recorded);
        other.api().setFaults(this::recorded);
    }

    @AfterEach
    void close() {
        site.close();
    }

    private Fault recorded(Request request) {
        if (request.call() == Call.RENEW_SESSION && !unanswered.contains(request.about())) {
            renewed.add(request.about());
            return new Fault.None();
        }
        inVain.addAndGet(request.call() == Call.RENEW_SESSION ? 1 : 0);
        return request.call() == Call.RENEW_SESSION ? new Fault.LostUnknown() : new Fault.None();
    }

    private void awaitSessions(Set<String> expected) {
        Polling.until("no session is left over", () -> site.consul().sessions().equals(expected));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsSessionEndsWithItsReleaseHereOrThroughAnotherGateway(boolean here) {
        Set<String> before = site.consul().sessions();
        Had had = holding.holdDetached(claim);
        assertThat(site.consul().sessions()).hasSize(before.size() + 1);
        holding.api().setCutOff(!here);
        assertThat((here ? holding : other).release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        awaitSessions(before);
    }

    /** Its session has been ended too, which the holder cannot know. */
    @Test
    void aSlotOfADeadGatewayIsKeptForTheLease() {
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        site.consul().endSession(site.holdingSession("job"));
        Queued waiter = other.queue(claim);
        other.awaitRead("job");
        isGrantedAfterTheLease(waiter);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(had.ending()).isNull();
    }

    private void isGrantedAfterTheLease(Queued waiter) {
        waiter.gateway().jump(Duration.ofSeconds(LEASE / 2));
        waiter.gateway().wake(claim);
        assertThat(waiter.granted()).isFalse();
        waiter.gateway().jump(Duration.ofSeconds(LEASE));
        waiter.gateway().wake(claim);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void itsOwnGatewayKeepsASlotWhoseSessionHasEnded() {
        Had had = holding.holdDetached(claim);
        Queued waiter = holding.queue(claim);
        site.consul().endSession(site.holdingSession("job"));
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        holding.awaitRead("job");
        isGrantedAfterTheLease(waiter);
    }

    /**
     * By then, its gateway has notified the holder that the grant is lost, unless it is cut off.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReleaseFreesASlotWhoseSessionHasEnded(boolean here) {
        Had had = holding.holdDetached(claim);
        if (!here) {
            assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
            assertThat(renewed).contains(site.holdingSession("job"));
            holding.api().setCutOff(true);
        }
        site.consul().endSession(site.holdingSession("job"));
        if (here) {
            assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        }
        Gateway asked = here ? holding : other;
        assertThat(asked.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(asked.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(asked.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    static List<Fault> faults() {
        return Fault.OF_WRITES;
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFailedWriteLeavesNeitherSlotNorSession(Fault fault) {
        Set<String> before = site.consul().sessions();
        holding.api().failNext(Call.TXN, fault);
        Future<ClaimOutcome> answer = holding.asks(claim, true).answer();
        Await.completed(answer);
        if (answer.succeeded() && answer.result() instanceof ClaimOutcome.Held held) {
            assertThat(Await.result(
                            holding.storage().release(claim.key(), held.grant().token())))
                    .isEqualTo(ReleaseOutcome.RELEASED);
        }
        Polling.until("nothing is held", () -> site.held("job").isEmpty());
        awaitSessions(before);
    }

    /** Consul carries out the write of a claim, but does not answer until the claim has failed. */
    private void failsAfterItsWrite() {
        AtomicBoolean applied = new AtomicBoolean();
        holding.api().setFaults(request -> {
            if (applied.get()) {
                return new Fault.Rejected(FailureKind.UNAVAILABLE);
            }
            if (request.has(KvOp.Lock.class::isInstance)) {
                applied.set(true);
                return new Fault.AppliedUnknown();
            }
            return new Fault.None();
        });
        Future<ClaimOutcome> answer = holding.asks(longer, true).answer();
        Polling.until("the write is carried out", applied::get);
        holding.jump(Duration.ofSeconds(30));
        Polling.until("it is answered", answer::isComplete);
        assertThat(answer.failed()).isTrue();
    }

    /**
     * Consul has carried out the write, but does not answer until the claim has failed, so no
     * client relies on that grant.
     */
    @Test
    void aClaimThatFailedDoesNotKeepItsSlotForTheLease() {
        Set<String> before = site.consul().sessions();
        failsAfterItsWrite();
        assertThat(other.tryOnce(longer)).isEqualTo(Refusal.BUSY);

        holding.api().failNone();

        Polling.until("the slot is free", () -> other.tryOnce(longer) instanceof ClaimOutcome.Held);
        Polling.until("its session has ended", () -> site.consul().sessions().size() <= before.size() + 1);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock || operation instanceof KvOp.DeleteCas;
    }

    /** The session ends between the read that shows the slot and the write that frees it. */
    @Test
    void aSlotWhoseSessionEndsWhileItIsFreedIsFreedAllTheSame() {
        failsAfterItsWrite();
        String session = site.holdingSession("job");

        AtomicBoolean frees = new AtomicBoolean();
        holding.api().setFaults(request -> {
            if (request.call() == Call.DESTROY_SESSION && !frees.get()) {
                return new Fault.Rejected(FailureKind.UNAVAILABLE);
            }
            if (request.has(DetachedGrantTest::frees) && frees.compareAndSet(false, true)) {
                site.consul().endSession(session);
            }
            return new Fault.None();
        });

        Polling.until("the slot is free", () -> other.tryOnce(longer) instanceof ClaimOutcome.Held);
        assertThat(frees).isTrue();
    }

    /** Consul refuses every write until the gateway stops. */
    @Test
    void aGatewayThatStopsFreesASlotWhoseReleaseHasFailed() {
        Set<String> before = site.consul().sessions();
        Had had = holding.holdDetached(claim);
        holding.api().failAll(Call.TXN, new Fault.Rejected(FailureKind.DENIED));
        assertThat(Await.failure(
                        holding.storage().release(claim.key(), had.grant().token())))
                .isNotNull();
        holding.awaitRest(0);
        holding.api().failNone();
        holding.close();
        assertThat(site.held("job")).isEmpty();
        Polling.until(
                "its session has ended", () -> before.containsAll(site.consul().sessions()));
    }

    /** Consul accepts no TTL longer than a day. */
    @Test
    void itsGatewayKeepsASessionThatIsShorterThanTheLease() {
        Had had = holding.holdDetached(lasting);
        String session = site.holdingSession("job");
        holding.jump(Duration.ofSeconds(43_000));
        holding.wake(lasting);
        assertThat(renewed).doesNotContain(session);
        holding.jump(Duration.ofMinutes(5));
        holding.wake(lasting);
        holding.awaitRest(0);
        assertThat(renewed).contains(session);
        assertThat(had.ending()).isNull();
    }

    /** Consul does not answer requests about that session, which are made once a second. */
    @Test
    void aSessionThatCannotBeRenewedNowDisturbsNobody() {
        Had had = holding.holdDetached(lasting);
        String session = site.holdingSession("job");
        long begun = System.nanoTime();
        unanswered.add(session);
        holding.jump(Duration.ofSeconds(43_300));
        for (int i = 0; i < 20; i++) {
            assertThat(holding.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        }
        assertThat(inVain.get()).isBetween(1, 2 + (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
        assertThat(renewed).doesNotContain(session);
        unanswered.clear();
        Polling.until("the session is renewed", () -> renewed.contains(session));
        assertThat(had.ending()).isNull();
    }
}
