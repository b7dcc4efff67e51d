package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many claims on one key at once. */
@Execution(ExecutionMode.CONCURRENT)
class HerdTest {
    private static final Claim LOCK = new Claim(Key.of("job"), Kind.LOCK, 1, 1300, true);

    private final StandIns site = new StandIns();
    private final AtomicBoolean held = new AtomicBoolean();
    private final AtomicInteger begun = new AtomicInteger();

    /** The number of transactions that have created tickets. */
    private final AtomicInteger written = new AtomicInteger();

    private final Gateway here = site.gateway(Map.of("consul-session-ttl", "600"), this::heldUp);

    @AfterEach
    void close() {
        held.set(false);
        site.close();
    }

    private ConsulApi heldUp(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                if (operations.stream().anyMatch(HerdTest::readsAKey)) {
                    begun.incrementAndGet();
                    holdWhile(held::get);
                }
                TxnOutcome outcome = super.txn(operations);
                if (outcome instanceof TxnOutcome.Committed
                        && operations.stream().anyMatch(KvOp.Set.class::isInstance)) {
                    written.incrementAndGet();
                }
                return outcome;
            }
        };
    }

    private static boolean readsAKey(KvOp operation) {
        return operation instanceof KvOp.GetTree tree && !tree.key().equals(StandIns.BASE + ".gateways/");
    }

    private record Asked(RecordingClaimant claimant, Future<ClaimOutcome> answer) {}

    private List<Asked> ask(int claims) {
        List<Asked> asked = new ArrayList<>();
        for (int i = 0; i < claims; i++) {
            RecordingClaimant claimant = new RecordingClaimant(i);
            asked.add(new Asked(claimant, here.ask(LOCK, claimant)));
        }
        return asked;
    }

    private Queued queued(Asked asked) {
        ClaimOutcome outcome = Await.result(asked.answer());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        return new Queued(asked.claimant(), ((ClaimOutcome.Queued) outcome).ticket(), here);
    }

    /**
     * While one ticket is being written, 100 more arrive, which need few transactions and keep
     * their order.
     */
    @Test
    void claimsThatComeTogetherShareTransactions() {
        Had holder = here.hold(LOCK);
        held.set(true);
        List<Asked> asked = ask(101);
        Polling.until("the first ticket is on its way", () -> begun.get() == 1);
        here.awaitRest(1);
        held.set(false);
        List<Queued> queue = asked.stream().map(this::queued).toList();
        assertThat(begun.get()).isLessThanOrEqualTo(2 + 100 / Transactions.MAX_TICKETS);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        areGrantedInOrder(queue);
    }

    private static void areGrantedInOrder(List<Queued> queue) {
        for (int i = 0; i < queue.size(); i++) {
            Had had = queue.get(i).awaitGrant();
            assertThat(queue.subList(i + 1, queue.size()).stream().noneMatch(Queued::granted))
                    .isTrue();
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /**
     * Consul has ended the session that holds their tickets. The new tickets need few transactions
     * and keep their order.
     */
    @Test
    void waitersThatQueueAgainShareTransactions() {
        Had holder = site.gateway(600).hold(LOCK);
        List<Queued> queue = ask(100).stream().map(this::queued).toList();
        String session = Objects.requireNonNull(site.tickets("job").getFirst().session());
        int before = written.get();
        site.consul().endSession(session);
        Polling.until(
                "all have new tickets",
                () -> site.tickets("job").stream()
                                .filter(each -> each.session() != null)
                                .count()
                        == 100);
        here.awaitRest(0);
        assertThat(written.get() - before).isLessThanOrEqualTo(2 + 100 / Transactions.MAX_TICKETS);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        areGrantedInOrder(queue);
    }
}
