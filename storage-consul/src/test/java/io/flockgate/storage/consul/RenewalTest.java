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
import io.flockgate.storage.StorageException.Effect;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    static Stream<Fault> faults() {
        return Stream.concat(Fault.OF_WRITES.stream(), Stream.of(new Fault.Rejected(FailureKind.DENIED)));
    }

    private static void renews(Gateway gateway, Had had) {
        assertThat(gateway.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
    }

    private static void releases(Gateway gateway, Had had) {
        assertThat(gateway.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private Set<String> sessionsWithSlots() {
        Set<String> sessions = new HashSet<>(sessionsOfMaking);
        site.held("job").forEach(each -> sessions.add(String.valueOf(each.session())));
        return sessions;
    }

    @Test
    void aConfirmedRenewalOutlivesTheGatewayThatMadeTheGrant() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWithSlots();
        making.api().setCutOff(true);
        renews(renewing, had);
        sessions.forEach(site.consul()::endSession);
        Queued waiter = third.queue(claim);
        for (int i = 0; i < 2; i++) {
            third.awaitRead("job");
            third.jump(Duration.ofSeconds(LEASE - 10));
            third.wake(claim);
            assertThat(waiter.granted()).isFalse();
            renews(renewing, had);
        }
        releases(renewing, had);
        assertThat(waiter.awaitGrant().grant().fence())
                .isGreaterThan(had.grant().fence());
    }

    /** Each of them measures the lease from the last renewal that it knows. */
    @Test
    void itGoesToAndFro() {
        Had had = renewing.hold(claim);
        Queued waiter = renewing.queue(claim);
        for (Gateway each : List.of(third, renewing, third, third, renewing)) {
            renewing.jump(Duration.ofSeconds(LEASE - 10));
            third.jump(Duration.ofSeconds(LEASE - 10));
            renews(each, had);
            renewing.awaitRead("job");
            assertThat(site.held("job")).hasSize(1);
        }
        renewing.jump(Duration.ofSeconds(LEASE - 10));
        renews(renewing, had);
        third.jump(Duration.ofSeconds(LEASE + 10));
        assertThat(third.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(waiter.granted()).isFalse();
        assertThat(had.ending()).isNull();
        releases(third, had);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void itGetsASessionOfItsOwnOnce() {
        Claim longer = Site.claim(claim.kind(), 10L * LEASE * LEASE);
        Had had = renewing.hold(longer);
        String shared = site.holdingSession("job");
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        String own = site.holdingSession("job");
        assertThat(own).isNotEqualTo(shared);
        assertThat(renewing.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.holdingSession("job")).isEqualTo(own);
        releases(renewing, had);
        assertThat(site.held("job")).isEmpty();
        Polling.until("its session has ended", () -> !site.consul().sessions().contains(own));
        assertThat(site.consul().sessions()).contains(shared);
    }

    /** Its client renews through the other gateway, and knows nothing of the loss. */
    @Test
    void aGatewayThatHasLostItBeforeItSeesTheRenewalDoesNotFreeIt() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWithSlots();
        making.deaf().set(true);
        renews(renewing, had);
        sessions.forEach(site.consul()::endSession);
        making.jump(Duration.ofSeconds(4));
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        making.deaf().set(false);
        making.awaitRead("job");
        assertThat(making.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        renews(making, had);
        releases(making, had);
    }

    @Test
    void aGatewayThatHasSeenTheRenewalKeepsItWithoutItsOwnSessions() {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWithSlots();
        renews(renewing, had);
        making.awaitRead("job");
        sessions.forEach(site.consul()::endSession);
        Had other = making.acquire(Site.lock("other"));
        assertThat(had.ending()).isNull();
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.ending()).isEqualTo(Ending.RELEASED);
    }

    /** Whatever the result of the write, the grant is kept, and no session is left over. */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultyRenewalKeepsTheGrant(Fault fault) {
        Had had = making.hold(claim);
        Set<String> before = site.consul().sessions();
        renewing.api().failNext(Call.TXN, fault);
        Await.completed(renewing.storage().renew(claim.key(), had.grant().token(), LEASE));
        renewing.api().deliverLate();
        renewing.awaitRest(0);
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        renews(renewing, had);
        renewing.api().deliverLate();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "no session is left over",
                () -> before.containsAll(site.consul().sessions()));
        assertThat(third.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * The gateway stops without having learnt the result, which may come late. The session that it
     * has made for the grant stays.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRenewalOfUnknownResultKeepsTheGrant(boolean late) {
        Had had = making.hold(claim);
        making.api().setCutOff(true);
        AtomicBoolean sent = new AtomicBoolean();
        renewing.api().setFaults(request -> {
            if (request.has(KvOp.Lock.class::isInstance)) {
                sent.set(true);
                return late ? new Fault.AppliedLater() : new Fault.AppliedUnknown();
            }
            return request.call() == Call.LIST && sent.get()
                    ? new Fault.Rejected(FailureKind.UNAVAILABLE)
                    : new Fault.None();
        });
        Future<RenewOutcome> answer =
                renewing.storage().renew(claim.key(), had.grant().token(), LEASE);
        Polling.until("it is sent", sent::get);
        renewing.jump(Duration.ofSeconds(20));
        assertThat(Await.failure(answer).effect()).isEqualTo(Effect.UNKNOWN);
        renewing.api().failNone();
        assertThat(renewing.api().deliverLate() > 0).isEqualTo(late);
        renewing.close();
        assertThat(site.held("job")).hasSize(1);
        renews(third, had);
        releases(third, had);
        assertThat(site.held("job")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theGatewayThatMadeItStopsAndLeavesIt(boolean afterSeeingTheRenewal) {
        renewing.deaf().set(!afterSeeingTheRenewal);
        Had had = renewing.hold(claim);
        renews(third, had);
        if (afterSeeingTheRenewal) {
            renewing.awaitRead("job");
        }
        renewing.deaf().set(false);
        renewing.close();
        assertThat(site.held("job")).hasSize(1);
        renews(third, had);
        releases(third, had);
    }

    /** The watch has not reported the change yet. */
    @Test
    void aLeaseThatWasRenewedThroughAnotherGatewayIsNotEnded() {
        renewing.deaf().set(true);
        Had had = renewing.hold(claim);
        renewing.jump(Duration.ofSeconds(LEASE - 1));
        renews(third, had);
        renewing.jump(Duration.ofSeconds(2));
        renewing.wake(claim);
        renewing.awaitRest(0);
        assertThat(had.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        renews(third, had);
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
        renewing.api().setFaults(request -> {
            if (renewed.isDone() || !request.has(RenewalTest::frees)) {
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
        renews(third, had);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock
                || (operation instanceof KvOp.DeleteCas gone && !gone.key().contains("/.wait/"));
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
        readTheKey(renewing);
        renewing.jump(Duration.ofSeconds(LEASE + 2));
        readTheKey(renewing);
        // Read with all keys, which shows the holder again.
        site.consul().put(StandIns.BASE + "other/x", 0, new byte[0]);
        renewing.awaitRead("other");
        renewing.jump(Duration.ofSeconds(5));
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
        assertThat(waiter.awaitGrant().grant().fence())
                .isGreaterThan(had.grant().fence());
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
        renews(renewing, had);
        assertThat(site.held("job").getFirst().value()).asString().contains("\"detached\":true");
        for (int i = 0; i < 2; i++) {
            long before = site.held("job").getFirst().modifyIndex();
            assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
            assertThat(site.held("job").getFirst().modifyIndex()).isGreaterThan(before);
        }
    }

    /** The late one would shorten the lease again. */
    @Test
    void afterARenewalOfUnknownResultTheNextIsWritten() {
        Gateway quick = site.gateway(30);
        Had had = quick.hold(claim);
        AtomicInteger sent = new AtomicInteger();
        quick.api().setFaults(request -> {
            sent.addAndGet(request.call() == Call.TXN ? 1 : 0);
            return request.call() == Call.TXN ? new Fault.AppliedLater() : new Fault.None();
        });
        var renewal = quick.storage().renew(had.grant().key(), had.grant().token(), 1);
        Polling.until("the renewal was sent", () -> sent.get() > 0);
        quick.jump(Duration.ofSeconds(11));
        assertThat(Await.failure(renewal)).isNotNull();
        quick.api().failNone();
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(quick.api().deliverLate()).isPositive();
        assertThat(site.held("job").getFirst().value()).asString().contains("\"lease_ms\":70000");
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
