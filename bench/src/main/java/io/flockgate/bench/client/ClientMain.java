package io.flockgate.bench.client;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.client.BlockingLease;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseProvider;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;

/**
 * The main class of {@code bench/client}. Measures the Java client against a running server: pairs
 * of acquire and release by 1 and 64 callers, then many leases held at once.
 */
public final class ClientMain {
    private static final int BATCH = 500;

    private final ProcessMeter client = ProcessMeter.self();
    private final ProcessMeter server;
    private final LeaseProvider leases;

    private ClientMain(LeaseProvider leases, ProcessMeter server) {
        this.leases = leases;
        this.server = server;
    }

    public static void main(String[] args) throws InterruptedException {
        OptionParser parser = new OptionParser(false);
        OptionSpec<String> server = parser.accepts("server").withRequiredArg().required();
        OptionSpec<Long> pid = parser.accepts("server-pid")
                .withRequiredArg()
                .ofType(Long.class)
                .required();
        OptionSpec<Integer> seconds = number(parser, "seconds", 10);
        OptionSpec<Integer> number = number(parser, "leases", 10_000);
        OptionSpec<Integer> heldSeconds = number(parser, "held-seconds", 60);
        OptionSet given;
        try {
            given = parser.parse(args);
        } catch (OptionException e) {
            System.err.println("client: " + e.getMessage());
            System.exit(2);
            return;
        }
        URI address = URI.create(given.valueOf(server));
        ProcessMeter meter = new ProcessMeter(given.valueOf(pid));
        Duration time = Duration.ofSeconds(given.valueOf(seconds));
        for (int callers : new int[] {1, 64}) {
            try (LeaseProvider provider = Flockgate.connect(address)) {
                new ClientMain(provider, meter).pairs(callers, time);
            }
        }
        if (given.valueOf(number) > 0) {
            try (LeaseProvider provider = Flockgate.connect(address)) {
                new ClientMain(provider, meter)
                        .held(given.valueOf(number), Duration.ofSeconds(given.valueOf(heldSeconds)));
            }
        }
    }

    private static OptionSpec<Integer> number(OptionParser parser, String name, int usual) {
        return parser.accepts(name).withRequiredArg().ofType(Integer.class).defaultsTo(usual);
    }

    /**
     * Callers on virtual threads, each with its own key, that acquire and release without a pause:
     * for this time as a warm-up, and then measured for as long.
     */
    private void pairs(int callers, Duration time) throws InterruptedException {
        LongAdder pairs = new LongAdder();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            String key = "pair-" + i;
            threads.add(Thread.ofVirtual().start(() -> call(key, pairs, over)));
        }
        Thread.sleep(time);
        long clientBefore = client.cpuNanos();
        long serverBefore = server.cpuNanos();
        long pairsBefore = pairs.sum();
        long start = System.nanoTime();
        Thread.sleep(time);
        double seconds = (System.nanoTime() - start) / 1e9;
        double done = pairs.sum() - pairsBefore;
        double clientMicros = (client.cpuNanos() - clientBefore) / 1e3 / done;
        double serverMicros = (server.cpuNanos() - serverBefore) / 1e3 / done;
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.printf(
                "%d callers: %.0f pairs/s, CPU a pair: client %.1f us, server %.1f us%n",
                callers, done / seconds, clientMicros, serverMicros);
    }

    private void call(String key, LongAdder pairs, AtomicBoolean over) {
        try (BlockingLease lease = new BlockingLease(leases.lease(key))) {
            while (!over.get()) {
                if (lease.acquire(Duration.ZERO).isEmpty()) {
                    throw new IllegalStateException("another client holds " + key);
                }
                lease.release();
                pairs.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Leases of one process, held at once and renewed by the client. */
    private void held(int number, Duration watched) throws InterruptedException {
        int threadsBefore = threads();
        long start = System.nanoTime();
        List<Lease> held = acquire(number);
        double acquired = (System.nanoTime() - start) / 1e9;
        long clientBefore = client.cpuNanos();
        long serverBefore = server.cpuNanos();
        Thread.sleep(watched);
        System.out.printf(
                "%d leases of 30 s: acquired in %.1f s, %d alive after %d s, CPU client %.2f %%, server %.2f %% of a core, %d threads more, %d MB of heap used%n",
                number,
                acquired,
                held.stream().filter(Lease::checkAlive).count(),
                watched.toSeconds(),
                100.0 * (client.cpuNanos() - clientBefore) / watched.toNanos(),
                100.0 * (server.cpuNanos() - serverBefore) / watched.toNanos(),
                threads() - threadsBefore,
                usedMegabytes());
        held.forEach(Lease::close);
    }

    private List<Lease> acquire(int number) {
        List<Lease> held = new ArrayList<>();
        while (held.size() < number) {
            int end = Math.min(number, held.size() + BATCH);
            List<CompletionStage<Boolean>> batch = new ArrayList<>();
            while (held.size() < end) {
                Lease lease = leases.lease("held-" + held.size());
                held.add(lease);
                batch.add(lease.acquire());
            }
            if (!batch.stream().allMatch(stage -> stage.toCompletableFuture().join())) {
                throw new IllegalStateException("another client holds one of the keys");
            }
        }
        return held;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long usedMegabytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    }
}
