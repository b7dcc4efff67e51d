package io.flockgate.bench.durable;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Prints the pairs per second of detached clients beside the flushes per second of the disk, which
 * are measured before and after.
 */
public final class DurableMain {
    private static final long WARM_UP_MILLIS = 3_000;

    private DurableMain() {}

    /**
     * Measures once.
     *
     * @param args port, data directory, clients, seconds
     */
    @SuppressWarnings("SystemOut") // is the result
    public static void main(String[] args) throws IOException, InterruptedException {
        Path directory = Path.of(args[1]);
        int clients = Integer.parseInt(args[2]);
        Duration time = Duration.ofSeconds(Long.parseLong(args[3]));
        double before = FlushMeter.flushesPerSecond(directory, time);
        double pairs = pairsPerSecond(Integer.parseInt(args[0]), clients, time);
        double flushes = (before + FlushMeter.flushesPerSecond(directory, time)) / 2;
        System.out.printf("| %d | %.0f | %.0f | %.2f |%n", clients, pairs, flushes, pairs / flushes);
    }

    private static double pairsPerSecond(int port, int many, Duration time) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(many);
        List<PairClient> clients = IntStream.range(0, many)
                .mapToObj(i -> new PairClient(port, "key-" + i, ready))
                .toList();
        List<Thread> threads = clients.stream()
                .map(each -> Thread.ofPlatform().daemon().start(each))
                .toList();
        ready.await();
        Thread.sleep(WARM_UP_MILLIS);
        long begin = System.nanoTime();
        long first = clients.stream().mapToLong(PairClient::pairs).sum();
        Thread.sleep(time.toMillis());
        long count = clients.stream().mapToLong(PairClient::pairs).sum() - first;
        double rate = count * 1e9 / (System.nanoTime() - begin);
        if (!threads.stream().allMatch(Thread::isAlive)) {
            throw new BenchException("a client has ended");
        }
        clients.forEach(PairClient::stop);
        for (Thread each : threads) {
            each.join();
        }
        return rate;
    }
}
