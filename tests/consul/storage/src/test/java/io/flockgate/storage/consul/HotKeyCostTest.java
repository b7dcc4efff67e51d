package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

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
    private static final Claim LOCK = new Claim(Key.of("job"), Kind.LOCK, 1, 30, true);
    private static final String ROOT = "flockgate/job/";

    private final Vertx vertx = Vertx.vertx();
    private final ConsulAgent agent = ConsulAgent.start();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final List<LockStorage> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(each -> Await.done(each.close()));
        agent.close();
        Await.done(vertx.close());
    }

    private LockStorage gateway() {
        Map<String, String> options = Map.of("consul-addr", agent.address().toString());
        StorageSettings settings = Site.settings(vertx, Duration.ofHours(1), options);
        SystemEnvironment environment = new SystemEnvironment(settings.clock());
        ConsulApi api = new EcwidConsulApi(environment, new ConsulConfig(settings.options()).consul(environment));
        LockStorage storage = ConsulStorage.open(environment, settings, counted(api));
        open.add(storage);
        return storage;
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
    private record Cost(double entries, double lost, double reads, double slowness) {
        void assertEntriesBelow(double bound) {
            assertThat(entries).isLessThan(bound + slowness);
        }

        void assertLostBelow(double bound) {
            assertThat(lost).isLessThan(bound);
        }

        void assertReadsBelow(double bound) {
            assertThat(reads).isLessThan(bound + slowness);
        }
    }

    /** Clients of all gateways acquire and release one key, until there have been enough grants. */
    private Cost cost(Claim claim, int gateways, int clientsEach) {
        List<LockStorage> storages =
                IntStream.range(0, gateways).mapToObj(i -> gateway()).toList();
        AtomicInteger left = new AtomicInteger(GRANTS);
        long entriesBefore = agent.raftIndex();
        int readsBefore = reads.get();
        int lostBefore = lost.get();
        long begin = System.nanoTime();
        List<java.util.concurrent.Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < gateways * clientsEach; i++) {
                LockStorage storage = storages.get(i % gateways);
                clients.add(threads.submit(() -> {
                    while (left.getAndDecrement() > 0) {
                        grant(storage, claim);
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

    private static void grant(LockStorage storage, Claim claim) {
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = storage.claim(claim, claimant);
        claimant.claimed(answer);
        ClaimOutcome outcome = Await.result(answer);
        Grant grant = outcome instanceof ClaimOutcome.Queued queued
                ? claimant.awaitGranted(queued.ticket())
                : ((ClaimOutcome.Held) outcome).grant();
        assertThat(Await.result(storage.release(grant.key(), grant.token()))).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aLockOfThreeGateways() {
        Cost cost = cost(LOCK, 3, 6);
        cost.assertEntriesBelow(2.3);
        cost.assertLostBelow(0.1);
        cost.assertReadsBelow(6);
    }

    @Test
    void aLockOfOneGateway() {
        Cost cost = cost(LOCK, 1, 18);
        cost.assertEntriesBelow(2.3);
        cost.assertLostBelow(0.1);
        cost.assertReadsBelow(2.5);
    }

    @Test
    void aLockWithShortLeases() {
        Cost cost = cost(new Claim(Key.of("job"), Kind.LOCK, 1, 5, true), 3, 6);
        cost.assertEntriesBelow(3);
    }

    @Test
    void aSemaphoreOfThreeGateways() {
        Cost cost = cost(new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 30, true), 3, 6);
        cost.assertEntriesBelow(2.3);
        cost.assertLostBelow(1);
    }
}
