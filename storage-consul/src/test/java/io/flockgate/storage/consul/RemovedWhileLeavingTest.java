package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.tck.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * An operator removes a waiter through one gateway while it waits at another, and possibly leaves
 * at the same time.
 */
@Execution(ExecutionMode.CONCURRENT)
class RemovedWhileLeavingTest {
    private static final Claim JOB = new Claim(Key.of("job"), Kind.LOCK, 1, 100, true);

    private final StandIns site = new StandIns();

    /** Whether the next deletion of a ticket coincides with a removal by an operator. */
    private final AtomicBoolean removes = new AtomicBoolean();

    /** Whether that deletion is lost without an answer. */
    private final AtomicBoolean loses = new AtomicBoolean();

    /** Whether answers of watches are delayed, so that no later read tidies up. */
    private final AtomicBoolean deaf = new AtomicBoolean();

    /** The waiter whose leaving coincides with the next mark of a removed waiter. */
    private final AtomicReference<@Nullable Queued> leaving = new AtomicReference<>();

    /** Whether the next mark of a removed waiter is lost without an answer. */
    private final AtomicBoolean losesMark = new AtomicBoolean();

    private final Gateway other = site.gateway(Map.of("consul-session-ttl", "600"), this::marking);
    private final Gateway own = site.gateway(Map.of("consul-session-ttl", "600"), this::interrupted);

    @AfterEach
    void close() {
        deaf.set(false);
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
                return super.txn(operations);
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                KvList answer = super.watch(prefix, index, wait);
                holdWhile(deaf::get);
                return answer;
            }
        };
    }

    private RemoveOutcome removeFirst() {
        String key = site.tickets("job").getFirst().key();
        String ticket = key.substring(key.lastIndexOf('/') + 1);
        return Await.result(other.storage().removeWaiter(JOB.key(), ticket));
    }

    private void leavesNothing() {
        Had holder = other.hold(JOB);
        Queued waiter = own.queue(JOB);
        deaf.set(true);
        removes.set(true);

        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.LEFT);

        assertThat(removes).isFalse();
        assertThat(site.tickets("job")).isEmpty();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theMarkedTicketIsDeleted() {
        leavesNothing();
    }

    @Test
    void theMarkedTicketIsDeletedAlsoAfterADeletionWithoutAnAnswer() {
        loses.set(true);
        leavesNothing();
    }

    @Test
    void aWaiterThatLeavesFirstIsNotRemoved() {
        Had holder = other.hold(JOB);
        leaving.set(own.queue(JOB));

        assertThat(removeFirst()).isEqualTo(RemoveOutcome.NOT_QUEUED);

        assertThat(leaving).hasNullValue();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aMarkThatIsLostIsWrittenAgain() {
        Had holder = other.hold(JOB);
        Queued waiter = own.queue(JOB);
        losesMark.set(true);

        assertThat(removeFirst()).isEqualTo(RemoveOutcome.REMOVED);

        assertThat(losesMark).isFalse();
        waiter.claimant().awaitRemoved(waiter.ticket());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
