package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.bench.consul.Client.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/** Many clients of one gateway, each on a key of its own. */
final class ManyClients {
    private static final int LEASE = 30;

    private ManyClients() {}

    /**
     * What it came to; CPU time is of the measured stretch.
     *
     * @param entries of the log
     */
    record Result(
            long pairs,
            long entries,
            Duration wall,
            Histogram times,
            Duration gatewayCpu,
            Duration consulCpu,
            Duration driverCpu) {
        double writesPerPair() {
            return (double) entries / pairs;
        }

        double pairsPerSecond() {
            return pairs * 1e9 / wall.toNanos();
        }

        double micros(Duration cpu) {
            return cpu.toNanos() / 1e3 / pairs;
        }
    }

    /** Runs pairs for a time, after some that do not count. */
    static Result run(GatewayProcess gateway, Bed bed, int clients, String key, Duration time, RaftMeter meter) {
        List<Client> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < clients; i++) {
                all.add(new Client(gateway.address()));
            }
            Histogram warm = pairs(threads, all, key, time.dividedBy(2));
            if (warm.getTotalCount() == 0) {
                throw new BenchException("no pair in " + time.dividedBy(2));
            }
            Duration gatewayCpu = gateway.cpu();
            Duration consulCpu = bed.cpu();
            Duration driverCpu = Processes.ownCpu();
            RaftMeter.Count count = meter.start();
            long start = System.nanoTime();
            Histogram times = pairs(threads, all, key, time);
            Duration wall = Duration.ofNanos(System.nanoTime() - start);
            return new Result(
                    times.getTotalCount(),
                    count.entries(0),
                    wall,
                    times,
                    gateway.cpu().minus(gatewayCpu),
                    bed.cpu().minus(consulCpu),
                    Processes.ownCpu().minus(driverCpu));
        } finally {
            all.forEach(Client::close);
        }
    }

    private static Histogram pairs(ExecutorService threads, List<Client> clients, String key, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        List<Future<Histogram>> running = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            Client client = clients.get(i);
            String own = key + "-" + i;
            running.add(threads.submit(() -> pairs(client, own, end)));
        }
        Histogram all = Times.histogram();
        running.forEach(each -> all.add(result(each)));
        return all;
    }

    private static Histogram pairs(Client client, String key, long end) {
        Histogram times = Times.histogram();
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            client.release(Kind.LOCK, key, client.acquire(Kind.LOCK, key, LEASE));
            times.recordValue(Times.clamp(System.nanoTime() - now));
        }
        return times;
    }

    /** What another thread has found, or why it has failed. */
    @CanIgnoreReturnValue
    static <T> T result(Future<T> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } catch (ExecutionException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
    }
}
