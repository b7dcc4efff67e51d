package io.flockgate.bench.consul;

import io.flockgate.bench.consul.Client.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/** Clients of several gateways on one key: each acquires, holds for some milliseconds, releases, over and over. */
final class HotKey {
    private static final int LEASE = 30;

    private HotKey() {}

    /**
     * What it came to.
     *
     * @param entries of the log
     * @param writeMillis how long Consul took for one write meanwhile, in the middle
     * @param meanWriteMillis the same, the mean
     */
    record Result(Contention.Result clients, long entries, Duration wall, double writeMillis, double meanWriteMillis) {
        double writesPerGrant() {
            return (double) entries / clients.grants();
        }

        double grantsPerSecond() {
            return clients.grants() * 1e9 / wall.toNanos();
        }

        /** The hand-over in the middle, in writes. */
        double handOverInWrites() {
            return Times.millis(clients.handOvers(), 50) / writeMillis;
        }

        /** The mean hand-over in mean writes: where the disk or the cores are busy, times have long tails. */
        double meanHandOverInWrites() {
            return clients.handOvers().getMean() / 1e6 / meanWriteMillis;
        }
    }

    /** @param holdMillis how long a client holds, on average; 0 for not at all */
    record Load(Kind kind, String key, int clientsEach, int holdMillis, Duration time) {}

    /** Runs a load, after a stretch of it that does not count. */
    static Result run(List<GatewayProcess> gateways, Bed bed, Load load, RaftMeter meter) {
        Contention contention = new Contention(load.kind().limit());
        long end =
                System.nanoTime() + load.time().dividedBy(2).plus(load.time()).toNanos();
        BooleanSupplier going = () -> System.nanoTime() < end;
        List<Future<?>> running = new ArrayList<>();
        try (Probe probe = Probe.start(bed);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < gateways.size() * load.clientsEach(); i++) {
                int gateway = i % gateways.size();
                running.add(threads.submit(() -> work(gateways.get(gateway), gateway, load, contention, going)));
            }
            Pause.of(load.time().dividedBy(2));
            contention.begin();
            long probed = probe.writes();
            RaftMeter.Count count = meter.start();
            long start = System.nanoTime();
            Pause.of(load.time());
            contention.end();
            Duration wall = Duration.ofNanos(System.nanoTime() - start);
            long entries = count.entries(probe.writes() - probed);
            probe.stop();
            running.forEach(ManyClients::result);
            return new Result(contention.result(), entries, wall, probe.millis(), probe.meanMillis());
        }
    }

    private static void work(
            GatewayProcess gateway, int number, Load load, Contention contention, BooleanSupplier going) {
        try (Client client = new Client(gateway.address())) {
            while (going.getAsBoolean()) {
                long sent = System.nanoTime();
                String token = client.acquire(load.kind(), load.key(), LEASE);
                contention.granted(number, sent);
                if (load.holdMillis() > 0) {
                    Pause.millis(ThreadLocalRandom.current().nextInt(1, 2 * load.holdMillis()));
                }
                contention.releasing(number);
                client.release(load.kind(), load.key(), token);
            }
        }
    }
}
