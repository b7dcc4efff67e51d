package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leases that a gateway ends, and leases that it must not end. */
@Execution(ExecutionMode.CONCURRENT)
class LeaseEndTest {
    private static final int LEASE = 30;

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, LEASE, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, LEASE, true));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLeaseEndsInTimeEvenIfItsSlotCannotBeFreedAtOnce(Claim claim) {
        Gateway gateway = site.gateway();
        Had had = gateway.hold(new Claim(claim.key(), claim.kind(), 1, 1, true));
        gateway.api().failNext(Call.TXN, new Fault.Rejected(FailureKind.DENIED));
        assertThat(had.awaitEnd()).isEqualTo(Ending.EXPIRED);
        Polling.until("the slot is free", () -> site.held("job").isEmpty());
    }

    /** The watch has not reported the change yet. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aLeaseThatWasRenewedThroughAnotherGatewayIsNotEnded(Claim claim) {
        Gateway deaf = site.gateway(Map.of("consul-session-ttl", "600"), LeaseEndTest::withoutWatches);
        Gateway other = site.gateway(600);
        Had had = deaf.hold(claim);
        deaf.jump(Duration.ofSeconds(LEASE - 1));
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        deaf.jump(Duration.ofSeconds(2));
        deaf.wake(claim);
        deaf.awaitRest(0);
        assertThat(had.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.renew(LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * The renewal occurs between the write that frees the slot, which is lost, and the read that
     * shows its result.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aLostReleaseDoesNotEndALeaseThatIsRenewedMeanwhile(Claim claim) {
        Gateway gateway = site.gateway(600);
        Gateway other = site.gateway(600);
        Had had = gateway.hold(claim);
        CompletableFuture<RenewOutcome> renewed = new CompletableFuture<>();
        gateway.api().setFaults((call, operations) -> {
            if (call != Call.TXN || renewed.isDone() || operations.stream().noneMatch(LeaseEndTest::frees)) {
                return new Fault.None();
            }
            renewed.complete(other.renew(had, LEASE));
            return new Fault.LostUnknown();
        });
        gateway.jump(Duration.ofSeconds(LEASE + 1));
        gateway.wake(claim);
        assertThat(renewed).isCompletedWithValue(RenewOutcome.RENEWED);
        gateway.awaitRest(0);
        assertThat(had.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(other.renew(had, LEASE)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static boolean frees(KvOp operation) {
        return operation instanceof KvOp.Unlock
                || (operation instanceof KvOp.DeleteCas gone && !gone.key().contains("/.wait/"));
    }

    /** Consul keeps the session for longer than its gateway trusts it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whatWasGivenUpIsNotRenewedAgain(Claim claim) {
        Gateway gateway = site.gateway();
        Had had = gateway.hold(new Claim(claim.key(), claim.kind(), 1, 100, true));
        gateway.api().setCutOff(true);
        gateway.jump(Duration.ofSeconds(11));
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        Future<RenewOutcome> asked =
                gateway.storage().renew(claim.key(), had.grant().token(), LEASE);
        gateway.api().setCutOff(false);
        assertThat(Await.result(asked)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    private static ConsulApi withoutWatches(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                holdWhile(() -> true);
                return super.watch(prefix, index, wait);
            }
        };
    }
}
