package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Renewals and ends of leases that several gateways know of, with sessions of different TTLs. A
 * renewal through another gateway detaches the grant, which then lasts for as long as that gateway
 * has confirmed.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class RenewalTest {
    private static final int LEASE = 70;

    private final Claim claim;
    private final StandIns site = new StandIns();
    private final Gateway making = site.gateway(10);
    private final Set<String> sessionsOfMaking = new HashSet<>(site.consul().sessions());
    private final Gateway renewing = site.gateway(600);
    private final Gateway third = site.gateway(600);

    RenewalTest(Kind kind) {
        this.claim = Site.claim(kind, LEASE);
    }

    @AfterEach
    void close() {
        making.api().setCutOff(false);
        site.close();
    }

    static List<Fault> faults() {
        return Fault.OF_WRITES;
    }

    /** The gateway dies, and Consul ends its sessions. */
    private void die(Set<String> sessions) {
        making.api().setCutOff(true);
        sessions.forEach(site.consul()::endSession);
    }

    private Set<String> sessionsWith(Had unused) {
        Set<String> sessions = new HashSet<>(sessionsOfMaking);
        site.held("job").forEach(each -> sessions.add(String.valueOf(each.session())));
        return sessions;
    }

    private void jump(Gateway gateway, int seconds) {
        gateway.jump(Duration.ofSeconds(seconds));
        gateway.wake(claim);
    }

    @Test
    void aConfirmedRenewalOutlivesTheGatewayThatMadeTheGrant() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWith(had);
        making.api().setCutOff(true);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        die(sessions);
        Queued waiter = third.queue(claim);
        third.awaitRead("job");
        jump(third, LEASE - 10);
        assertThat(waiter.granted()).isFalse();
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        third.awaitRead("job");
        jump(third, LEASE - 10);
        assertThat(waiter.granted()).isFalse();
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().grant().fence())
                .isGreaterThan(had.grant().fence());
    }

    @Test
    void itsLeaseEndsWithoutTheGatewayThatMadeIt() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWith(had);
        making.api().setCutOff(true);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        die(sessions);
        assertThat(renewing.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        renewing.jump(Duration.ofSeconds(LEASE));
        assertThat(renewing.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    /** Each of them measures the lease from the last renewal that it knows. */
    @Test
    void itGoesToAndFro() {
        Had had = renewing.hold(claim);
        Queued waiter = renewing.queue(claim);
        for (Gateway each : List.of(third, renewing, third, third, renewing)) {
            renewing.jump(Duration.ofSeconds(LEASE - 10));
            third.jump(Duration.ofSeconds(LEASE - 10));
            assertThat(each.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
            renewing.awaitRead("job");
            assertThat(site.held("job")).hasSize(1);
        }
        renewing.jump(Duration.ofSeconds(LEASE - 10));
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        third.jump(Duration.ofSeconds(LEASE + 10));
        assertThat(third.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(waiter.granted()).isFalse();
        assertThat(had.ending()).isNull();
        assertThat(third.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private String session() {
        return String.valueOf(site.held("job").getFirst().session());
    }

    @Test
    void itGetsASessionOfItsOwnOnce() {
        Claim longer = Site.claim(claim.kind(), 10L * LEASE * LEASE);
        Had had = renewing.hold(longer);
        String shared = session();
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        String own = session();
        assertThat(own).isNotEqualTo(shared);
        assertThat(renewing.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(session()).isEqualTo(own);
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("job")).isEmpty();
        Polling.until("its session has ended", () -> !site.consul().sessions().contains(own));
        assertThat(site.consul().sessions()).contains(shared);
    }

    /** Its client renews through the other gateway, and knows nothing of the loss. */
    @Test
    void aGatewayThatHasLostItBeforeItSeesTheRenewalDoesNotFreeIt() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWith(had);
        making.deaf().set(true);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        sessions.forEach(site.consul()::endSession);
        making.jump(Duration.ofSeconds(4));
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        making.deaf().set(false);
        making.awaitRead("job");
        assertThat(making.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(making.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(making.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aGatewayThatHasSeenTheRenewalKeepsItWithoutItsOwnSessions() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWith(had);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        making.awaitRead("job");
        sessions.forEach(site.consul()::endSession);
        Had other = making.acquire(Site.lock("other"));
        assertThat(had.ending()).isNull();
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.ending()).isEqualTo(Ending.RELEASED);
    }

    /**
     * Whatever the result of the write, the promise to the holder is kept, and nothing is left
     * behind.
     */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultyRenewalKeepsTheGrant(Fault fault) {
        Had had = making.hold(claim);
        renewing.api().failNext(Call.TXN, fault);
        Future<RenewOutcome> answer =
                renewing.storage().renew(claim.key(), had.grant().token(), LEASE);
        Polling.until("it is answered", answer::isComplete);
        renewing.api().deliverLate();
        renewing.awaitRest(0);
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        renewing.api().deliverLate();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The write reaches Consul after the gateway has given up waiting for its result. */
    @Test
    void aLateRenewalKeepsTheGrant() {
        Had had = making.hold(claim);
        making.api().setCutOff(true);
        renewing.api().setFaults((call, operations) -> call == Call.TXN ? new Fault.AppliedLater() : new Fault.None());
        Future<RenewOutcome> answer =
                renewing.storage().renew(claim.key(), had.grant().token(), LEASE);
        renewing.jump(Duration.ofSeconds(20));
        Polling.until("it is answered", answer::isComplete);
        assertThat(answer.failed()).isTrue();
        renewing.api().setFaults((call, operations) -> new Fault.None());
        renewing.awaitRest(0);
        int unused = renewing.api().deliverLate();
        renewing.awaitRead("job");
        assertThat(site.held("job")).hasSize(1);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("job")).isEmpty();
    }

    @Test
    void theGatewayThatMadeItStopsAndLeavesIt() {
        Had had = renewing.hold(claim);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        renewing.close();
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(third.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aLeaseEndsInTimeEvenIfItsSlotCannotBeFreedAtOnce() {
        Had had = making.hold(Site.claim(claim.kind(), 1));
        making.api().failNext(Call.TXN, new Fault.Rejected(FailureKind.DENIED));
        assertThat(had.awaitEnd()).isEqualTo(Ending.EXPIRED);
        Polling.until("the slot is free", () -> site.held("job").isEmpty());
    }

    /** The watch has not reported the change yet. */
    @Test
    void aLeaseThatWasRenewedThroughAnotherGatewayIsNotEnded() {
        renewing.deaf().set(true);
        Had had = renewing.hold(claim);
        renewing.jump(Duration.ofSeconds(LEASE - 1));
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        renewing.jump(Duration.ofSeconds(2));
        renewing.wake(claim);
        renewing.awaitRest(0);
        assertThat(had.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * The renewal occurs between the write that frees the slot, which is lost, and the read that
     * shows its result.
     */
    @Test
    void aLostReleaseDoesNotEndALeaseThatIsRenewedMeanwhile() {
        Had had = renewing.hold(claim);
        CompletableFuture<RenewOutcome> renewed = new CompletableFuture<>();
        renewing.api().setFaults((call, operations) -> {
            if (call != Call.TXN || renewed.isDone() || operations.stream().noneMatch(RenewalTest::frees)) {
                return new Fault.None();
            }
            renewed.complete(third.renew(had, LEASE));
            return new Fault.LostUnknown();
        });
        renewing.jump(Duration.ofSeconds(LEASE + 1));
        renewing.wake(claim);
        assertThat(renewed).isCompletedWithValue(RenewOutcome.RENEWED);
        renewing.awaitRest(0);
        assertThat(had.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock
                || (operation instanceof KvOp.DeleteCas gone && !gone.key().contains("/.wait/"));
    }

    /** Consul keeps the session for longer than its gateway trusts it. */
    @Test
    void whatWasGivenUpIsNotRenewedAgain() {
        Had had = making.hold(claim);
        making.api().setCutOff(true);
        making.jump(Duration.ofSeconds(11));
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        Future<RenewOutcome> asked =
                making.storage().renew(claim.key(), had.grant().token(), LEASE);
        making.api().setCutOff(false);
        assertThat(Await.result(asked)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    /** Makes a gateway observe the holder for longer than the lease without a change. */
    private void watchTheHolder(Gateway gateway) {
        readTheKey(gateway);
        gateway.jump(Duration.ofSeconds(LEASE + 2));
        readTheKey(gateway);
    }

    private void readTheKey(Gateway gateway) {
        gateway.wake(claim);
        gateway.awaitRead("job");
    }

    /** Only its gateway knows when it was renewed, so others show its latest end. */
    @Test
    void aSilentlyRenewedLeaseIsLeftAloneByThoseWhoWrite() {
        Gateway quick = site.gateway(30);
        Had had = quick.hold(claim);
        Queued waiter = renewing.queue(claim);
        watchTheHolder(renewing);
        HolderView shown = Await.result(renewing.storage().inspect(KeyDetailQuery.first(claim.key(), 10)))
                .orElseThrow()
                .holders()
                .getFirst();
        assertThat(shown.leaseLeftNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(LEASE));
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(waiter.granted()).isFalse();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        waiter.awaitGrant();
    }

    /** Its gateway has died, as far as any other gateway can see. */
    @Test
    void aLeaseWithWrittenRenewalsIsEndedByThoseWhoDoNotWrite() {
        Gateway quick = site.gateway(30);
        Had had = renewing.hold(claim);
        renewing.api().setCutOff(true);
        Queued waiter = quick.queue(claim);
        readTheKey(quick);
        for (int i = 0; i <= LEASE / 15; i++) {
            quick.jump(Duration.ofSeconds(15));
            quick.progress().awaitRenewals();
        }
        quick.wake(claim);
        Had next = waiter.awaitGrant();
        assertThat(next.grant().fence()).isGreaterThan(had.grant().fence());
        renewing.api().setCutOff(false);
    }

    /**
     * A lease renewed through another gateway is observed by all; the holder's own gateway must see
     * that before it confirms a renewal.
     */
    @Test
    void whatAnotherGatewayHasRenewedIsRenewedByWrites() {
        Gateway quick = site.gateway(30);
        Had had = quick.hold(claim);
        quick.api().failNext(Call.WATCH, new Fault.Rejected(FailureKind.UNAVAILABLE));
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.held("job").getFirst().value()).asString().contains("\"detached\":true");
        for (int i = 0; i < 2; i++) {
            long before = site.consul().raftIndex();
            assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
            assertThat(site.consul().raftIndex()).isGreaterThan(before);
        }
    }

    /** The late one would shorten the lease again. */
    @Test
    void afterARenewalOfUnknownResultTheNextIsWritten() {
        Gateway quick = site.gateway(30);
        Had had = quick.hold(claim);
        AtomicInteger sent = new AtomicInteger();
        quick.api().setFaults((call, operations) -> {
            sent.addAndGet(call == Call.TXN ? 1 : 0);
            return call == Call.TXN ? new Fault.AppliedLater() : new Fault.None();
        });
        var renewal = quick.storage().renew(had.grant().key(), had.grant().token(), 1);
        Polling.until("the renewal was sent", () -> sent.get() > 0);
        quick.jump(Duration.ofSeconds(11));
        assertThat(Await.failure(renewal)).isNotNull();
        quick.api().setFaults((call, operations) -> new Fault.None());
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(quick.api().deliverLate()).isPositive();
        quick.jump(Duration.ofSeconds(2));
        quick.wake(claim);
        quick.awaitRead("job");
        assertThat(had.ending()).isNull();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
