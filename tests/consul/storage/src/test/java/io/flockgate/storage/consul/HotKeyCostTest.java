package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Counts the entries of Consul's log and the reads that a grant of a hot key costs.
 *
 * <p>Writes of a semaphore lose against each other, more or less often by chance. A lost write is
 * an entry too, and is counted by itself.
 *
 * <p>On a slow machine, the sessions and timers of the gateways add more entries and reads to each
 * grant, so these bounds grow with the time that a grant takes.
 */
@Tag("consul")
@ResourceLock(value = ConsulAgent.PROMPT_ANSWERS, mode = ResourceAccessMode.READ)
class HotKeyCostTest {
    private static final int GRANTS = 600;
    private static final String ROOT = "flockgate/job/";

    private final ConsulAgent agent = ConsulAgent.start();
    private final RealSite site = new RealSite("flockgate/", agent);
    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicInteger trees = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
        agent.close();
    }

    /** Counts the answers that show everything below the key's prefix, and the writes that lost. */
    private ConsulApi counted(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                return counted(lists, prefix, super.list(prefix, consistency));
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                return counted(watches, prefix, super.watch(prefix, index, wait));
            }

            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                trees.addAndGet((int) operations.stream()
                        .filter(KvOp.GetTree.class::isInstance)
                        .count());
                TxnOutcome outcome = super.txn(operations);
                lost.addAndGet(outcome instanceof TxnOutcome.Conflict ? 1 : 0);
                return outcome;
            }

            private KvList counted(AtomicInteger reads, String prefix, KvList list) {
                reads.addAndGet(prefix.equals(ROOT) ? 1 : 0);
                return list;
            }
        };
    }

    /**
     * What a grant has cost.
     *
     * @param entries the entries without those of writes that lost
     * @param trees the reads within transactions
     * @param lists the reads at once
     * @param watches the answered watches
     * @param slowness the tenths of a second that a grant has taken, times the gateways
     */
    private record Cost(double entries, double lost, double trees, double lists, double watches, double slowness) {}

    /** Clients of all gateways acquire and release one key, until there have been enough grants. */
    private Cost cost(Claim claim, int gateways, int clientsEach) {
        List<Gateway> storages = Stream.generate(() -> site.gateway(Map.of(), this::counted))
                .limit(gateways)
                .toList();
        AtomicInteger left = new AtomicInteger(GRANTS);
        long entriesBefore = agent.raftIndex();
        for (AtomicInteger each : List.of(lists, watches, trees, lost)) {
            each.set(0);
        }
        long begin = System.nanoTime();
        List<java.util.concurrent.Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < gateways * clientsEach; i++) {
                Gateway storage = storages.get(i % gateways);
                clients.add(threads.submit(() -> {
                    while (left.getAndDecrement() > 0) {
                        assertThat(storage.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
                    }
                }));
            }
        }
        clients.forEach(each -> assertThat(each.state()).isEqualTo(java.util.concurrent.Future.State.SUCCESS));
        double grants = GRANTS;
        double tenths = (System.nanoTime() - begin) / 1e8;
        return new Cost(
                (agent.raftIndex() - entriesBefore - lost.get()) / grants,
                lost.get() / grants,
                trees.get() / grants,
                lists.get() / grants,
                watches.get() / grants,
                gateways * tenths / grants);
    }

    /**
     * A bound of 100 or 1000 means none. A watch is answered at most once for each change, however
     * slow the machine is, and pauses for 10 ms while only its gateway's clients want the lock.
     */
    @ParameterizedTest
    @CsvSource({
        "LOCK, 1, 30, 3, 6, 2.3, 0.1, 1000",
        "LOCK, 1, 30, 1, 18, 2.3, 0.1, 20",
        "LOCK, 1, 5, 3, 6, 3, 100, 1000",
        "SEMAPHORE, 2, 30, 3, 6, 2.3, 1, 1000"
    })
    void aGrantCostsFewEntriesAndReads(
            Kind kind, int limit, int lease, int gateways, int clients, double entries, double lost, double answers) {
        Cost cost = cost(new Claim(Key.of("job"), kind, limit, lease, true), gateways, clients);
        assertThat(cost.entries()).isLessThan(entries + cost.slowness());
        assertThat(cost.lost()).isLessThan(lost);
        assertThat(cost.trees()).isLessThan(1 + cost.lost() + cost.slowness());
        assertThat(cost.lists()).isLessThan(0.1 + cost.lost() + cost.slowness());
        assertThat(cost.watches()).isLessThan(0.1 + Math.min(gateways * cost.entries(), answers * cost.slowness()));
    }
}
