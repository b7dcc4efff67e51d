package io.flockgate.gateway.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway with a data directory that is killed or stopped at random moments, again and again,
 * while some leases are kept and others change hands. Every second kill leaves a torn end of the
 * journal as well.
 */
@Tag("process")
class KillLoopTest {
    private static final int LONGEST_LIFE_MILLIS = 700;
    private static final int LONGEST_HOLD_MILLIS = 1_500;

    @TempDir
    Path directory;

    private final int port = Ports.adjacent(1, List.of("127.0.0.1"));

    /** The fence of each key's holder, and the highest fence of each key. */
    private final Map<String, Long> holders = new ConcurrentHashMap<>();

    private final Map<String, Long> fences = new ConcurrentHashMap<>();
    private final AtomicLong grants = new AtomicLong();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    @Test
    void noClientLosesAGrantOverAFewEnds() throws Exception {
        endures(6, 12, 16);
    }

    @Tag("slow")
    @Test
    void noClientLosesAGrantOverAThousandEnds() throws Exception {
        endures(Integer.getInteger("kills", 1_000), 40, 64);
    }

    private void endures(int ends, int many, int keys) throws Exception {
        Random random = new Random(Long.getLong("kills.seed", System.nanoTime()));
        GatewayProcess gateway = gateway();
        try (LeaseProvider leases = connected()) {
            List<Lease> kept = kept(leases, many);
            List<Thread> takers = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                Random own = new Random(random.nextLong());
                takers.add(Thread.ofPlatform().daemon().start(() -> takeUntilTheEnd(keys, own)));
            }
            for (int i = 0; i < ends && faults.isEmpty(); i++) {
                awaitGrants();
                park(random.nextInt(LONGEST_LIFE_MILLIS));
                end(gateway, i % 3 == 1, random);
                gateway = gateway();
                expectHeld(gateway, many);
            }
            stopping = true;
            for (Thread each : takers) {
                assertThat(each.join(Duration.ofSeconds(60))).isTrue();
            }
            assertThat(faults).isEmpty();
            for (Lease each : kept) {
                each.release().toCompletableFuture().get(60, SECONDS);
            }
            allKeysAreFree(gateway, many, keys);
        } finally {
            stopping = true;
            gateway.close();
        }
    }

    private GatewayProcess gateway() throws InterruptedException {
        return GatewayLauncher.ofJar("--data-dir=" + directory, "--port=" + port)
                .start();
    }

    private LeaseProvider connected() {
        return Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port));
    }

    /** A lease whose renewals soon show that the gateway has lost its grant. */
    private Lease lease(LeaseProvider leases, String name) {
        Lease lease = leases.lease(LeaseOptions.named(name)
                .ttl(Duration.ofSeconds(20))
                .renewInterval(Duration.ofMillis(150))
                .build());
        lease.onLost(event -> faults.add(name + ": " + event));
        return lease;
    }

    private List<Lease> kept(LeaseProvider leases, int many) throws Exception {
        List<Lease> kept = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            kept.add(lease(leases, "kept-" + i));
            assertThat(kept.getLast().acquire().toCompletableFuture().get(60, SECONDS))
                    .isTrue();
        }
        return kept;
    }

    /** Takes keys of its choice one after another, whatever happens to the gateway. */
    private void takeUntilTheEnd(int keys, Random random) {
        try (LeaseProvider leases = connected()) {
            while (!stopping) {
                String name = "key-" + random.nextInt(keys);
                try (Lease lease = lease(leases, name)) {
                    take(lease, random);
                }
            }
        } catch (Exception e) {
            faults.add("a client has ended: " + e);
        }
    }

    private void take(Lease lease, Random random) throws Exception {
        try {
            Optional<LeaseGrant> grant =
                    lease.acquire(Duration.ofSeconds(1)).toCompletableFuture().get(60, SECONDS);
            if (grant.isPresent()) {
                long fence = grant.get().fence().orElseThrow();
                enter(lease.name(), fence);
                park(random.nextInt(LONGEST_HOLD_MILLIS));
                holders.remove(lease.name(), fence);
            }
            lease.release().toCompletableFuture().get(60, SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof LeaseUnavailableException)
                    && !(e.getCause() instanceof LeaseReleaseException)) {
                throw e;
            }
        }
    }

    private void enter(String key, long fence) {
        Long other = holders.put(key, fence);
        if (other != null) {
            faults.add("two holders of " + key + ": fences " + other + " and " + fence);
        }
        Long before = fences.put(key, fence);
        if (before != null && Long.compareUnsigned(before, fence) >= 0) {
            faults.add("the fence of " + key + " falls from " + before + " to " + fence);
        }
        grants.incrementAndGet();
    }

    private void awaitGrants() {
        long before = grants.get();
        Polling.until("each process makes grants", () -> grants.get() > before || !faults.isEmpty());
    }

    private static void park(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void end(GatewayProcess gateway, boolean asAnOperatorDoes, Random random) throws Exception {
        if (asAnOperatorDoes) {
            assertThat(gateway.stop()).isZero();
        } else {
            gateway.kill();
            if (random.nextBoolean()) {
                tearEnd();
            }
        }
    }

    /**
     * Leaves what a loss of power would leave of the last write, because a kill never tears one.
     */
    private void tearEnd() throws IOException {
        byte[] beginOfFrame = {'\n', 'F', 'L', 'J', 0, 0, 0, 40, 1, 2, 3, 4, 'G'};
        Files.write(directory.resolve("grants.journal"), beginOfFrame, StandardOpenOption.APPEND);
    }

    private static void expectHeld(GatewayProcess gateway, int many) throws IOException {
        try (LineClient client = gateway.client()) {
            for (int i = 0; i < many; i++) {
                assertThat(client.ask("l", "kept-" + i, "0")).isEqualTo("timeout");
            }
        }
    }

    /** Some keys are held by grants whose answer was lost, until their leases end. */
    private static void allKeysAreFree(GatewayProcess gateway, int many, int keys) throws Exception {
        try (LineClient client = gateway.client()) {
            client.patience(Duration.ofSeconds(90));
            for (int i = 0; i < many; i++) {
                client.release(client.lock("kept-" + i));
            }
            for (int i = 0; i < keys; i++) {
                client.release(client.lock("key-" + i, 60, 60));
            }
        }
    }
}
