package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Gateways whose sessions have different TTLs, as while they are restarted one by one with another
 * setting.
 */
@Execution(ExecutionMode.CONCURRENT)
class MixedTtlTest {
    private static final int LEASE = 100;

    private final StandIns site = new StandIns();
    private final Gateway quick = site.gateway(30);
    private final Gateway slow = site.gateway(600);

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, LEASE, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, LEASE, true));
    }

    /** Makes a gateway observe the holder for longer than the lease without a change. */
    private static void watchTheHolder(Gateway gateway, Claim claim) {
        readTheKey(gateway, claim);
        gateway.jump(Duration.ofSeconds(LEASE + 2));
        readTheKey(gateway, claim);
    }

    private static void readTheKey(Gateway gateway, Claim claim) {
        gateway.wake(claim);
        gateway.awaitRead("job");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aSilentlyRenewedLeaseIsLeftAloneByThoseWhoWrite(Claim claim) {
        Had had = quick.hold(claim);
        Queued waiter = slow.queue(claim);
        watchTheHolder(slow, claim);
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(waiter.granted()).isFalse();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        waiter.awaitGrant();
    }

    /** Only its gateway knows when it was renewed. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aSilentLeaseIsShownWithItsLatestEnd(Claim claim) {
        Had had = quick.hold(claim);
        Queued waiter = slow.queue(claim);
        watchTheHolder(slow, claim);
        HolderView shown = Await.result(slow.storage().inspect(KeyDetailQuery.first(claim.key(), 10)))
                .orElseThrow()
                .holders()
                .getFirst();
        assertThat(shown.leaseLeftNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(LEASE));
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        waiter.awaitGrant();
    }

    /** Its gateway has died, as far as any other gateway can see. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aLeaseWithWrittenRenewalsIsEndedByThoseWhoDoNotWrite(Claim claim) {
        Had had = slow.hold(claim);
        slow.api().setCutOff(true);
        Queued waiter = quick.queue(claim);
        readTheKey(quick, claim);
        for (int i = 0; i <= LEASE / 15; i++) {
            quick.jump(Duration.ofSeconds(15));
            quick.progress().awaitRenewals();
        }
        quick.wake(claim);
        Had next = waiter.awaitGrant();
        assertThat(next.grant().fence()).isGreaterThan(had.grant().fence());
        slow.api().setCutOff(false);
    }

    /**
     * A lease renewed through another gateway is observed by all; the holder's own gateway must see
     * that before it confirms a renewal.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void whatAnotherGatewayHasRenewedIsRenewedByAWriteTheNextTime(Claim claim) {
        Had had = quick.hold(claim);
        quick.api().failNext(Call.WATCH, new Fault.Rejected(FailureKind.UNAVAILABLE));
        assertThat(slow.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.held("job").getFirst().value()).asString().doesNotContain("silent");
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.held("job").getFirst().value()).asString().contains("\"silent\":true");
        long before = site.consul().raftIndex();
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(site.consul().raftIndex()).isEqualTo(before);
    }

    /** The late one would shorten the lease again. */
    @ParameterizedTest
    @MethodSource("kinds")
    void afterARenewalOfUnknownResultTheNextIsWritten(Claim claim) {
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
