package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A renewal through another gateway takes the grant over, which then lasts for as long as that
 * gateway has confirmed.
 */
@Execution(ExecutionMode.CONCURRENT)
class RenewedElsewhereTest {
    private static final int LEASE = 60;

    private final StandIns site = new StandIns();
    private final Gateway making = site.gateway(10);
    private final Set<String> sessionsOfMaking = new HashSet<>(site.consul().sessions());
    private final Gateway renewing = site.gateway(600);
    private final Gateway third = site.gateway(600);

    @AfterEach
    void close() {
        making.api().setCutOff(false);
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, LEASE, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, LEASE, true));
    }

    static Stream<Arguments> faults() {
        return kinds().flatMap(claim -> Fault.OF_WRITES.stream().map(fault -> Arguments.of(claim, fault)));
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

    private static void jump(Gateway gateway, Claim claim, int seconds) {
        gateway.jump(Duration.ofSeconds(seconds));
        gateway.wake(claim);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aConfirmedRenewalOutlivesTheGatewayThatMadeTheGrant(Claim claim) {
        Had had = making.hold(claim);
        Set<String> sessions = sessionsWith(had);
        making.api().setCutOff(true);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        die(sessions);
        Queued waiter = third.queue(claim);
        third.awaitRead("job");
        jump(third, claim, LEASE - 10);
        assertThat(waiter.granted()).isFalse();
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        third.awaitRead("job");
        jump(third, claim, LEASE - 10);
        assertThat(waiter.granted()).isFalse();
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().grant().fence())
                .isGreaterThan(had.grant().fence());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theGatewayThatRenewedItEndsItsLease(Claim claim) {
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

    @ParameterizedTest
    @MethodSource("kinds")
    void theGatewayThatMadeItStillReleasesIt(Claim claim) {
        Had had = making.hold(claim);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        assertThat(site.held("job")).isEmpty();
        assertThat(renewing.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theGatewayThatMadeItHearsOfItsRelease(Claim claim) {
        Had had = making.hold(claim);
        Queued waiter = making.queue(claim);
        assertThat(renewing.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Each of them measures the lease from the last renewal that it knows. */
    @ParameterizedTest
    @MethodSource("kinds")
    void itGoesToAndFro(Claim claim) {
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

    /**
     * A long lease is renewed without a write at its own gateway, but not after another gateway has
     * taken it over.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void itGoesToAndFroWithALongLease(Claim claim) {
        Claim longer = new Claim(claim.key(), claim.kind(), 1, 10L * LEASE * LEASE, true);
        Had had = renewing.hold(longer);
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(renewing.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        Set<String> sessions = new HashSet<>();
        site.held("job").forEach(each -> sessions.add(String.valueOf(each.session())));
        assertThat(third.renew(had, longer.leaseSeconds())).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.held("job")).noneMatch(each -> sessions.contains(each.session()));
        assertThat(renewing.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("job")).isEmpty();
    }

    /**
     * Whatever the result of the write, the promise to the holder is kept, and nothing is left
     * behind.
     */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultyRenewalKeepsTheGrant(Claim claim, Fault fault) {
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
    @ParameterizedTest
    @MethodSource("kinds")
    void aLateRenewalKeepsTheGrant(Claim claim) {
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

    @ParameterizedTest
    @MethodSource("kinds")
    void theGatewayThatMadeItStopsAndLeavesIt(Claim claim) {
        Had had = renewing.hold(claim);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        renewing.close();
        assertThat(site.held("job")).hasSize(1);
        assertThat(third.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(third.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
