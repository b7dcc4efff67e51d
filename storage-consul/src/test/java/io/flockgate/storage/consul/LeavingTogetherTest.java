package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many waiters of one key leave while Consul is slow, as when their clients disconnect. */
class LeavingTogetherTest {
    private static final Claim CLAIM = new Claim(Key.of("job"), Kind.LOCK, 1, 1300, true);
    private static final int MANY = 150;

    private final StandIns site = new StandIns();
    private final AtomicBoolean slow = new AtomicBoolean();
    private final AtomicBoolean conflicting = new AtomicBoolean();
    private final AtomicInteger deletions = new AtomicInteger();
    private final Gateway here = site.gateway(Map.of("consul-session-ttl", "600"), this::counted);

    @AfterEach
    void close() {
        slow.set(false);
        site.close();
    }

    private ConsulApi counted(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                if (operations.stream().allMatch(KvOp.DeleteCas.class::isInstance)) {
                    deletions.incrementAndGet();
                    holdWhile(slow::get);
                    if (operations.size() > 1 && conflicting.get()) {
                        return new TxnOutcome.Conflict(List.of(new TxnOutcome.Obstacle(0, "changed")));
                    }
                }
                return super.txn(operations);
            }
        };
    }

    private List<Future<LeaveOutcome>> allLeave() {
        List<Queued> waiters =
                Stream.generate(() -> here.queue(CLAIM)).limit(MANY).toList();
        slow.set(true);
        List<Future<LeaveOutcome>> outcomes = new ArrayList<>();
        outcomes.add(here.storage().leave(waiters.getFirst().ticket()));
        Polling.until("the first deletion is on its way", () -> deletions.get() == 1);
        for (Queued waiter : waiters.subList(1, MANY)) {
            outcomes.add(here.storage().leave(waiter.ticket()));
        }
        slow.set(false);
        return outcomes;
    }

    @Test
    void theyShareTransactions() {
        Had holder = here.hold(CLAIM);
        for (Future<LeaveOutcome> outcome : allLeave()) {
            assertThat(Await.result(outcome)).isEqualTo(LeaveOutcome.LEFT);
        }
        assertThat(site.tickets("job")).isEmpty();
        assertThat(deletions.get()).isLessThanOrEqualTo(1 + 3);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aConflictOfOneDoesNotKeepTheOthers() {
        Had holder = here.hold(CLAIM);
        conflicting.set(true);
        for (Future<LeaveOutcome> outcome : allLeave()) {
            assertThat(Await.result(outcome)).isEqualTo(LeaveOutcome.LEFT);
        }
        assertThat(site.tickets("job")).isEmpty();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
