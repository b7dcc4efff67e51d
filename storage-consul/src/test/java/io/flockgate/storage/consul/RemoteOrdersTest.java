package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An operator frees a slot or removes a waiter through another gateway than its own, which learns
 * of it however late it reads the key, and nothing remains.
 */
@Execution(ExecutionMode.CONCURRENT)
class RemoteOrdersTest {
    private static final Claim LOCK = Site.claim(Kind.LOCK, 100);
    private static final Claim SEMAPHORE = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);

    private final StandIns site = new StandIns();

    /** Whether the next deletion of a ticket coincides with a removal by an operator. */
    private final AtomicBoolean removes = new AtomicBoolean();

    /** Whether that deletion is lost without an answer. */
    private final AtomicBoolean loses = new AtomicBoolean();

    /** Whether Consul denies the next deletion of a ticket. */
    private final AtomicBoolean denies = new AtomicBoolean();

    /** The waiter whose leaving coincides with the next mark of a removed waiter. */
    private final AtomicReference<@Nullable Queued> leaving = new AtomicReference<>();

    /** Whether the next mark of a removed waiter is lost without an answer. */
    private final AtomicBoolean losesMark = new AtomicBoolean();

    private final Gateway other = site.gateway(Map.of("consul-session-ttl", "600"), this::marking);
    private final Gateway own = site.gateway(Map.of("consul-session-ttl", "600"), this::interrupted);

    @AfterEach
    void close() {
        site.close();
    }

    private ConsulApi marking(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                boolean marks = operations.stream()
                        .anyMatch(each ->
                                each instanceof KvOp.Lock ticket && ticket.key().contains("/.wait/"));
                Queued waiter = marks ? leaving.getAndSet(null) : null;
                if (waiter != null) {
                    assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);
                }
                return marks && losesMark.compareAndSet(true, false) ? lost() : super.txn(operations);
            }
        };
    }

    private static TxnOutcome lost() {
        return new TxnOutcome.Unknown(new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "lost"));
    }

    private ConsulApi interrupted(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                boolean deletes = operations.stream()
                        .anyMatch(each -> each instanceof KvOp.DeleteCas gone
                                && gone.key().contains("/.wait/"));
                if (deletes && removes.compareAndSet(true, false)) {
                    assertThat(removeFirst()).isEqualTo(RemoveOutcome.REMOVED);
                    if (loses.get()) {
                        return lost();
                    }
                }
                return deletes && denies.compareAndSet(true, false)
                        ? new TxnOutcome.NotDone(new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, "denied"))
                        : super.txn(operations);
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

    private RemoveOutcome removeFirst() {
        String key = site.tickets("job").getFirst().key();
        String ticket = key.substring(key.lastIndexOf('/') + 1);
        return Await.result(other.storage().removeWaiter(LOCK.key(), ticket));
    }

    private void awaitNothingLeft() {
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        assertThat(site.held("job")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anEvictionIsLearntAlsoWhenTheSlotHasBeenUsedAgain(Claim claim) {
        Had had = own.hold(claim);
        own.awaitRead("job");
        own.deaf().set(true);
        evict(had);
        assertThat(other.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        own.deaf().set(false);
        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        awaitNothingLeft();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theEvictionOfADetachedGrantIsLearnt(Claim claim) {
        Had had = own.holdDetached(claim);
        evict(had);
        assertThat(had.awaitEnd()).isEqualTo(Ending.EVICTED);
        awaitNothingLeft();
    }

    /** While a lock changes hands quickly, its waiters' gateways read only the lock. */
    @Test
    void anEvictionIsLearntByAGatewayThatWatchesOnlyTheLock() {
        Had had = own.hold(LOCK);
        List<Queued> queue = new ArrayList<>();
        for (int i = 0; i < 13; i++) {
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

    /** No later read tidies up. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theMarkOfAWaiterThatLeavesIsDeleted(boolean withoutAnAnswer) {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        own.deaf().set(true);
        loses.set(withoutAnAnswer);
        removes.set(true);
        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(removes).isFalse();
        assertThat(site.tickets("job")).isEmpty();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** No watch shows the ticket again. */
    @Test
    void aTicketWhoseDeletionFailsIsDeletedLater() {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        own.deaf().set(true);
        denies.set(true);
        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(denies).isFalse();
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aWaiterThatLeavesFirstIsNotRemoved() {
        Had holder = other.hold(LOCK);
        leaving.set(own.queue(LOCK));
        assertThat(removeFirst()).isEqualTo(RemoveOutcome.NOT_QUEUED);
        assertThat(leaving).hasNullValue();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aMarkThatIsLostIsWrittenAgain() {
        Had holder = other.hold(LOCK);
        Queued waiter = own.queue(LOCK);
        losesMark.set(true);
        assertThat(removeFirst()).isEqualTo(RemoveOutcome.REMOVED);
        assertThat(losesMark).isFalse();
        waiter.claimant().awaitRemoved(waiter.ticket());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
