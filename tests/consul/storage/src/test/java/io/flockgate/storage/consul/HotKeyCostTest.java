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
 * grant, so each bound grows with the time that a grant takes.
 */
@Tag("consul")
@ResourceLock(value = ConsulAgent.PROMPT_ANSWERS, mode = ResourceAccessMode.READ)
class HotKeyCostTest {
    private static final int GRANTS = 600;
    private static final String ROOT = "flockgate/job/";

    private final ConsulAgent agent = ConsulAgent.start();
    private final RealSite site = new RealSite("flockgate/", agent);
    private final AtomicInteger reads = new AtomicInteger();
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
                return counted(prefix, super.list(prefix, consistency));
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                return counted(prefix, super.watch(prefix, index, wait));
            }

            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                reads.addAndGet((int) operations.stream()
                        .filter(KvOp.GetTree.class::isInstance)
                        .count());
                TxnOutcome outcome = super.txn(operations);
                lost.addAndGet(outcome instanceof TxnOutcome.Conflict ? 1 : 0);
                return outcome;
            }

            private KvList counted(String prefix, KvList list) {
                reads.addAndGet(prefix.equals(ROOT) ? 1 : 0);
                return list;
            }
        };
    }

    /**
     * @param entries the entries without those of writes that lost
     * @param slowness the tenths of a second that a grant has taken, for each gateway
     */
    private record Cost(double entries, double lost, double reads, double slowness) {}

    /** Clients of all gateways acquire and release one key, until there have been enough grants. */
    private Cost cost(Claim claim, int gateways, int clientsEach) {
        List<Gateway> storages = Stream.generate(() -> site.gateway(Map.of(), this::counted))
                .limit(gateways)
                .toList();
        AtomicInteger left = new AtomicInteger(GRANTS);
        long entriesBefore = agent.raftIndex();
        int readsBefore = reads.get();
        int lostBefore = lost.get();
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
        int lostWrites = lost.get() - lostBefore;
        return new Cost(
                (agent.raftIndex() - entriesBefore - lostWrites) / grants,
                lostWrites / grants,
                (reads.get() - readsBefore) / grants,
                gateways * tenths / grants);
    }

    /** A bound of 100 means none. */
    @ParameterizedTest
    @CsvSource({
        "LOCK, 1, 30, 3, 6, 2.3, 0.1, 6",
        "LOCK, 1, 30, 1, 18, 2.3, 0.1, 2.5",
        "LOCK, 1, 5, 3, 6, 3, 100, 100",
        "SEMAPHORE, 2, 30, 3, 6, 2.3, 1, 100"
    })
    void aGrantCostsFewEntriesAndReads(
            Kind kind, int limit, int lease, int gateways, int clients, double entries, double lost, double reads) {
        Cost cost = cost(new Claim(Key.of("job"), kind, limit, lease, true), gateways, clients);
        assertThat(cost.entries()).isLessThan(entries + cost.slowness());
        assertThat(cost.lost()).isLessThan(lost);
        assertThat(cost.reads()).isLessThan(reads + cost.slowness());
    }
}
