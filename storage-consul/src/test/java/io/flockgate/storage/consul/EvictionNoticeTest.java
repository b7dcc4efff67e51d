package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A grant evicted through another gateway ends as lost, however late its own gateway reads the key,
 * and nothing remains of it.
 */
@Execution(ExecutionMode.CONCURRENT)
class EvictionNoticeTest {
    private static final Claim LOCK = new Claim(Key.of("job"), Kind.LOCK, 1, 100, true);
    private static final Claim SEMAPHORE = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);

    private final StandIns site = new StandIns();

    /** Answers of watches are held up. */
    private final AtomicBoolean deaf = new AtomicBoolean();

    private final Gateway other = site.gateway(600);
    private final Gateway own = site.gateway(Map.of("consul-session-ttl", "600"), this::hardOfHearing);

    @AfterEach
    void close() {
        deaf.set(false);
        site.close();
    }

    private ConsulApi hardOfHearing(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                KvList answer = super.watch(prefix, index, wait);
                holdWhile(deaf::get);
                return answer;
            }
        };
    }

    static Stream<Claim> kinds() {
        return Stream.of(LOCK, SEMAPHORE);
    }

    private void evict(Had had) {
        assertThat(Await.result(
                        other.storage().evict(had.grant().key(), had.grant().fence(), false)))
                .isEqualTo(EvictOutcome.EVICTED);
    }

    private void nothingIsLeft() {
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        assertThat(site.held("job")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsGatewayLearnsItAlsoWhenTheSlotHasBeenUsedAgain(Claim claim) {
        Had had = own.hold(claim);
        own.awaitRead("job");
        deaf.set(true);

        evict(had);
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        deaf.set(false);

        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        nothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsSlotPassesToAWaiterOfTheOtherGateway(Claim claim) {
        Had had = own.hold(claim);
        Had second = claim.limit() == 1 ? null : own.hold(claim);
        Queued waiter = other.queue(claim);

        evict(had);

        Had next = waiter.awaitGrant();
        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second == null || second.release() == ReleaseOutcome.RELEASED)
                .isTrue();
        nothingIsLeft();
    }

    /** By hand, which leaves no notice. */
    @Test
    void aSlotThatIsDeletedTogetherWithTheHoldersIsLost() {
        Had had = own.hold(SEMAPHORE);
        KvEntry slot = site.held("job").getFirst();
        List<KvOp> byHand = List.of(
                new KvOp.DeleteCas(slot.key(), slot.modifyIndex()),
                new KvOp.Set(StandIns.BASE + "job/.lock", Flags.SEMAPHORE, new byte[0]));
        assertThat(site.consul().txn(byHand).committed()).isNotNull();
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itIsADetachedGrant(Claim claim) {
        Had had = own.holdDetached(claim);

        evict(had);

        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        nothingIsLeft();
    }

    /** While a lock changes hands quickly, its waiters' gateways read only the lock. */
    @Test
    void itsGatewayWatchesOnlyTheLock() {
        Had had = own.hold(LOCK);
        List<Queued> queue = new ArrayList<>();
        queue.add(own.queue(LOCK));
        for (int i = 0; i < 12; i++) {
            queue.add(own.queue(LOCK));
        }
        while (queue.size() > 2) {
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
            had = queue.removeFirst().awaitGrant();
        }

        evict(had);

        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        queue.getFirst().awaitGrant();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aReleaseThroughAnotherGatewayIsStillARelease(Claim claim) {
        Had had = own.hold(claim);

        assertThat(other.release(had)).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        nothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anEvictionThroughItsOwnGatewayNeedsNoNotice(Claim claim) {
        Had had = own.hold(claim);

        assertThat(Await.result(
                        own.storage().evict(had.grant().key(), had.grant().fence(), false)))
                .isEqualTo(EvictOutcome.EVICTED);

        assertThat(had.ending()).isEqualTo(Ending.EVICTED);
        assertThat(site.tickets("job")).isEmpty();
    }
}
