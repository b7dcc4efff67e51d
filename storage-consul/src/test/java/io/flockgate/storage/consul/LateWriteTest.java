package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes whose answer is lost, or that are carried out late or twice: nothing is lost, no client
 * has a slot twice, and late writes have no effect. One gateway experiences the fault; another,
 * unaffected gateway sees the same Consul.
 */
@Execution(ExecutionMode.CONCURRENT)
class LateWriteTest {
    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(lock("job"), semaphore("job", 1))
                .flatMap(claim -> Fault.OF_WRITES.stream().map(fault -> Arguments.of(claim, fault)));
    }

    private void nextWriteIs(Fault fault) {
        gateway.api().failNext(Call.TXN, fault);
    }

    /** Delivers the late writes, after which the content must be unchanged. */
    private void lateOnesHaveNoEffect() {
        List<String> before = site.shown("job");
        long index = indexOfAll();
        int late = gateway.api().deliverLate();
        if (indexOfAll() != index) {
            // Something was written, and the gateways react before the comparison.
            gateway.awaitRead("job");
            other.awaitRead("job");
        }
        assertThat(site.shown("job")).as("after %d late writes", late).isEqualTo(before);
    }

    private long indexOfAll() {
        return site.consul().list(StandIns.BASE, Consistency.DEFAULT).index();
    }

    private static void released(Had had) {
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * Checks that Consul shows no holder and no waiter, and that the key can be acquired through
     * either gateway.
     */
    private void allIsFree(Claim claim, Had last) {
        Polling.until(
                "nothing is left",
                () -> site.held("job").isEmpty() && site.tickets("job").isEmpty());
        lateOnesHaveNoEffect();
        Had one = gateway.acquire(claim);
        assertThat(one.grant().fence()).isGreaterThan(last.grant().fence());
        released(one);
        Had two = other.acquire(claim);
        assertThat(two.grant().fence()).isGreaterThan(one.grant().fence());
        lateOnesHaveNoEffect();
        released(two);
    }

    private void onlyOneHolder() {
        assertThat(site.held("job")).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClaim(Claim claim, Fault fault) {
        nextWriteIs(fault);
        Had had = gateway.hold(claim);
        onlyOneHolder();
        lateOnesHaveNoEffect();
        released(had);
        allIsFree(claim, had);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClaimThatIsReleasedBeforeItsWriteComesAgain(Claim claim, Fault fault) {
        nextWriteIs(fault);
        Had had = gateway.hold(claim);
        released(had);
        Had next = other.hold(claim);
        lateOnesHaveNoEffect();
        onlyOneHolder();
        released(next);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueue(Claim claim, Fault fault) {
        Had first = other.hold(claim);
        nextWriteIs(fault);
        Queued second = gateway.queue(claim);
        Queued third = other.queue(claim);
        gateway.api().deliverLate();
        released(first);
        Had now = second.awaitGrant();
        onlyOneHolder();
        assertThat(third.granted()).isFalse();
        released(now);
        Had last = third.awaitGrant();
        released(last);
        allIsFree(claim, last);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueueComesTooLate(Claim claim, Fault fault) {
        Had first = other.hold(claim);
        nextWriteIs(fault);
        Queued second = gateway.queue(claim);
        released(first);
        Had now = second.awaitGrant();
        released(now);
        // A ticket without a waiter must not block the key.
        gateway.api().deliverLate();
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        allIsFree(claim, now);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueueComesAfterLeavingIt(Claim claim, Fault fault) {
        Had first = gateway.hold(claim);
        nextWriteIs(fault);
        Queued second = gateway.queue(claim);
        assertThat(second.leave()).isEqualTo(LeaveOutcome.LEFT);
        gateway.api().deliverLate();
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        released(first);
        allIsFree(claim, first);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theGrantToTheHead(Claim claim, Fault fault) {
        Had first = other.hold(claim);
        Queued second = gateway.queue(claim);
        nextWriteIs(fault);
        released(first);
        Had now = second.awaitGrant();
        onlyOneHolder();
        lateOnesHaveNoEffect();
        assertThat(now.ending()).isNull();
        released(now);
        allIsFree(claim, now);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aHandOverWithinOneGateway(Claim claim, Fault fault) {
        Had first = gateway.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = gateway.queue(claim);
        nextWriteIs(fault);
        released(first);
        Had now = second.awaitGrant();
        onlyOneHolder();
        assertThat(third.granted()).isFalse();
        lateOnesHaveNoEffect();
        released(now);
        Had last = third.awaitGrant();
        released(last);
        allIsFree(claim, last);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRelease(Claim claim, Fault fault) {
        Had had = gateway.hold(claim);
        nextWriteIs(fault);
        released(had);
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        Had next = other.hold(claim);
        lateOnesHaveNoEffect();
        onlyOneHolder();
        assertThat(other.renew(next, 30)).isEqualTo(RenewOutcome.RENEWED);
        released(next);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRenewalOfAShortLease(Claim claim, Fault fault) {
        Had had = gateway.hold(new Claim(claim.key(), claim.kind(), 1, 5, true));
        nextWriteIs(fault);
        assertThat(gateway.renew(had, 5)).isEqualTo(RenewOutcome.RENEWED);
        lateOnesHaveNoEffect();
        released(had);
        Had next = gateway.hold(claim);
        lateOnesHaveNoEffect();
        released(next);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRenewalThatComesAfterTheNextGrant(Claim claim, Fault fault) {
        Had had = gateway.hold(new Claim(claim.key(), claim.kind(), 1, 5, true));
        nextWriteIs(fault);
        assertThat(gateway.renew(had, 5)).isEqualTo(RenewOutcome.RENEWED);
        released(had);
        Had next = gateway.hold(claim);
        lateOnesHaveNoEffect();
        assertThat(other.renew(next, 30)).isEqualTo(RenewOutcome.RENEWED);
        released(next);
        allIsFree(claim, next);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void leavingTheQueue(Claim claim, Fault fault) {
        Had first = other.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = gateway.queue(claim);
        nextWriteIs(fault);
        assertThat(second.leave()).isEqualTo(LeaveOutcome.LEFT);
        lateOnesHaveNoEffect();
        released(first);
        Had now = third.awaitGrant();
        assertThat(second.granted()).isFalse();
        released(now);
        allIsFree(claim, now);
    }
}
