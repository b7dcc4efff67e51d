package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Detached grants: each has its own session, which does not end with its gateway. */
@Execution(ExecutionMode.CONCURRENT)
class DetachedGrantTest {
    private static final int LEASE = 30;

    private final StandIns site = new StandIns();
    private final List<String> renewed = new CopyOnWriteArrayList<>();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private final Gateway holding = site.gateway(Map.of("consul-session-ttl", "86400"), this::recorded);
    private final Gateway other = site.gateway(Map.of("consul-session-ttl", "86400"), this::recorded);

    @AfterEach
    void close() {
        site.close();
    }

    private ConsulApi recorded(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public boolean renewSession(String id) {
                if (unanswered.contains(id)) {
                    throw new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "on purpose");
                }
                renewed.add(id);
                return super.renewSession(id);
            }
        };
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, LEASE, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, LEASE, true));
    }

    static Stream<Arguments> faults() {
        return kinds().flatMap(claim -> Fault.OF_WRITES.stream().map(fault -> Arguments.of(claim, fault)));
    }

    private String session() {
        return String.valueOf(site.held("job").getFirst().session());
    }

    private void awaitSessions(Set<String> expected) {
        Polling.until("no session is left over", () -> site.consul().sessions().equals(expected));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRenewalThroughAnotherGatewayRenewsItsSession(Claim claim) {
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(renewed).contains(session());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsSessionEndsWithIt(Claim claim) {
        Set<String> before = site.consul().sessions();
        Had had = holding.holdDetached(claim);
        assertThat(site.consul().sessions()).hasSize(before.size() + 1);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        awaitSessions(before);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aReleaseThroughAnotherGatewayEndsItsSession(Claim claim) {
        Set<String> before = site.consul().sessions();
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        assertThat(other.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        awaitSessions(before);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsGatewayHearsOfAReleaseThroughAnother(Claim claim) {
        Had had = holding.holdDetached(claim);
        Queued waiter = holding.queue(claim);
        assertThat(other.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLeaseOfADeadGatewayEnds(Claim claim) {
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        Queued waiter = other.queue(claim);
        other.awaitRead("job");
        other.jump(Duration.ofSeconds(LEASE / 2));
        other.wake(claim);
        assertThat(waiter.granted()).isFalse();
        other.jump(Duration.ofSeconds(LEASE));
        other.wake(claim);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatDoesNotQueueGetsASlotWhoseLeaseIsOver(Claim claim) {
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(LEASE / 2));
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(LEASE));
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    /**
     * An operator has ended the session, or its agent has left, and the holder cannot know that.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aSlotWhoseSessionHasEndedIsKeptForTheLease(Claim claim) {
        Had had = holding.holdDetached(claim);
        holding.api().setCutOff(true);
        site.consul().endSession(session());
        Queued waiter = other.queue(claim);
        other.awaitRead("job");
        other.jump(Duration.ofSeconds(LEASE / 2));
        other.wake(claim);
        assertThat(waiter.granted()).isFalse();
        other.jump(Duration.ofSeconds(LEASE));
        other.wake(claim);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.ending()).isNull();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsOwnGatewayKeepsSuchASlotToo(Claim claim) {
        Had had = holding.holdDetached(claim);
        Queued waiter = holding.queue(claim);
        site.consul().endSession(session());
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        holding.awaitRead("job");
        holding.jump(Duration.ofSeconds(LEASE / 2));
        holding.wake(claim);
        assertThat(waiter.granted()).isFalse();
        holding.jump(Duration.ofSeconds(LEASE));
        holding.wake(claim);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFailedWriteLeavesNeitherSlotNorSession(Claim claim, Fault fault) {
        Set<String> before = site.consul().sessions();
        holding.api().failNext(Call.TXN, fault);
        Future<ClaimOutcome> answer = holding.askDetached(claim);
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
    private void failsAfterItsWrite(Claim claim) {
        AtomicBoolean applied = new AtomicBoolean();
        holding.api().setFaults((call, operations) -> {
            if (applied.get()) {
                return new Fault.Rejected(FailureKind.UNAVAILABLE);
            }
            boolean grants = call == Call.TXN && operations.stream().anyMatch(KvOp.Lock.class::isInstance);
            if (grants) {
                applied.set(true);
            }
            return grants ? new Fault.AppliedUnknown() : new Fault.None();
        });
        Future<ClaimOutcome> answer = holding.askDetached(claim);
        Polling.until("the write is carried out", applied::get);
        holding.jump(Duration.ofSeconds(30));
        Polling.until("it is answered", answer::isComplete);
        assertThat(answer.failed()).isTrue();
    }

    /**
     * Consul has carried out the write, but does not answer until the claim has failed, so no
     * client relies on that grant.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatFailedDoesNotKeepItsSlotForTheLease(Claim claim) {
        Claim longer = new Claim(claim.key(), claim.kind(), 1, 3600, false);
        Set<String> before = site.consul().sessions();
        failsAfterItsWrite(longer);
        assertThat(other.tryOnce(longer)).isEqualTo(Refusal.BUSY);

        holding.api().setFaults((call, operations) -> new Fault.None());

        Polling.until("the slot is free", () -> other.tryOnce(longer) instanceof ClaimOutcome.Held);
        Polling.until("its session has ended", () -> site.consul().sessions().size() <= before.size() + 1);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock || operation instanceof KvOp.DeleteCas;
    }

    /** The session ends between the read that shows the slot and the write that frees it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aSlotWhoseSessionEndsWhileItIsFreedIsFreedAllTheSame(Claim claim) {
        Claim longer = new Claim(claim.key(), claim.kind(), 1, 3600, false);
        failsAfterItsWrite(longer);
        String session = session();

        AtomicBoolean frees = new AtomicBoolean();
        holding.api().setFaults((call, operations) -> {
            if (call == Call.DESTROY_SESSION && !frees.get()) {
                return new Fault.Rejected(FailureKind.UNAVAILABLE);
            }
            if (call == Call.TXN
                    && operations.stream().anyMatch(DetachedGrantTest::frees)
                    && frees.compareAndSet(false, true)) {
                site.consul().endSession(session);
            }
            return new Fault.None();
        });

        Polling.until("the slot is free", () -> other.tryOnce(longer) instanceof ClaimOutcome.Held);
        assertThat(frees).isTrue();
    }

    /** By then, its gateway has notified the holder that the grant is lost. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aReleaseFreesASlotWhoseSessionHasEnded(Claim claim) {
        Had had = holding.holdDetached(claim);
        site.consul().endSession(session());
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        assertThat(holding.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(holding.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aReleaseThroughAnotherGatewayFreesASlotWhoseSessionHasEnded(Claim claim) {
        Had had = holding.holdDetached(claim);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        holding.api().setCutOff(true);
        site.consul().endSession(session());
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(other.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Consul refuses every write until the gateway stops. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aGatewayThatStopsFreesASlotWhoseReleaseHasFailed(Claim claim) {
        Set<String> before = site.consul().sessions();
        Had had = holding.holdDetached(claim);
        holding.api()
                .setFaults((call, operations) ->
                        call == Call.TXN ? new Fault.Rejected(FailureKind.DENIED) : new Fault.None());
        assertThat(Await.failure(
                        holding.storage().release(claim.key(), had.grant().token())))
                .isNotNull();
        holding.awaitRest(0);
        holding.api().setFaults((call, operations) -> new Fault.None());
        holding.close();
        assertThat(site.held("job")).isEmpty();
        Polling.until(
                "its session has ended", () -> before.containsAll(site.consul().sessions()));
    }

    /** Consul accepts no TTL longer than a day. */
    @ParameterizedTest
    @MethodSource("kinds")
    void itsGatewayKeepsASessionThatIsShorterThanTheLease(Claim claim) {
        Claim lasting = new Claim(claim.key(), claim.kind(), 1, 200_000, true);
        Had had = holding.holdDetached(lasting);
        String session = session();
        holding.jump(Duration.ofSeconds(43_000));
        holding.wake(lasting);
        assertThat(renewed).doesNotContain(session);
        holding.jump(Duration.ofMinutes(5));
        holding.wake(lasting);
        holding.awaitRest(0);
        assertThat(renewed).contains(session);
        assertThat(had.ending()).isNull();
    }

    /** Consul does not answer requests about that session. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aSessionThatCannotBeRenewedNowDisturbsNobody(Claim claim) {
        Had had = holding.holdDetached(new Claim(claim.key(), claim.kind(), 1, 200_000, true));
        String session = session();
        unanswered.add(session);
        holding.jump(Duration.ofSeconds(43_300));
        assertThat(holding.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(holding.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(renewed).doesNotContain(session);
        unanswered.clear();
        Polling.until("the session is renewed", () -> renewed.contains(session));
        assertThat(had.ending()).isNull();
    }
}
