package io.flockgate.bench.consul;

import io.flockgate.bench.consul.Client.Kind;
import io.flockgate.bench.load.Latencies;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** A gateway whose clients wait for many keys, each held by a client of another gateway, or of the same. */
final class ManyKeys {
    /** The number of keys that a gateway watches one by one: the first that clients wait for. */
    static final int BUDGET = 32;

    private static final int LEASE = 3600;
    private static final int HANDS = 8;
    private static final long BETWEEN_RELEASES_MILLIS = 15;
    private static final Duration SETTLED = Duration.ofSeconds(3);
    private static final Duration STANDING = Duration.ofSeconds(10);

    private final BenchGateway waiting;
    private final BenchGateway holding;
    private final Bed bed;
    private final URI agent;

    /** @param agent the server that the gateway with the waiters goes to */
    ManyKeys(BenchGateway waiting, BenchGateway holding, Bed bed, URI agent) {
        this.waiting = waiting;
        this.holding = holding;
        this.bed = bed;
        this.agent = agent;
    }

    /**
     * The result.
     *
     * @param watched hand-overs of keys within the budget
     * @param beyond hand-overs of the others
     * @param connections the maximum of the agent's connections
     * @param standingCpu of the gateway with the waiters while nothing happens, as a share of a core
     * @param busyCpu the same while keys are released
     */
    record ManyKeysResult(
            Histogram watched,
            Histogram beyond,
            int connections,
            double standingCpu,
            double busyCpu,
            double writeMillis) {}

    ManyKeysResult run(String name, int count) {
        List<String> keys =
                IntStream.range(0, count).mapToObj(i -> name + "-" + i).toList();
        List<Client> hands = clients(holding, HANDS);
        List<Client> waiters = clients(waiting, count);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            String[] tokens = take(threads, hands, keys);
            for (int i = 0; i < count; i++) {
                waiters.get(i).enqueue(Kind.LOCK, keys.get(i), LEASE);
            }
            List<Future<Long>> grants = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Client client = waiters.get(i);
                String key = keys.get(i);
                grants.add(threads.submit(() -> granted(client, key)));
            }
            Pause.of(SETTLED);
            return release(hands.getFirst(), keys, tokens, grants);
        } finally {
            hands.forEach(Client::close);
            waiters.forEach(Client::close);
        }
    }

    private static List<Client> clients(BenchGateway gateway, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Client(gateway.address()))
                .toList();
    }

    /** Clients that together take all keys, and hold them while they are connected. */
    private static String[] take(ExecutorService threads, List<Client> hands, List<String> keys) {
        String[] tokens = new String[keys.size()];
        List<Future<?>> running = new ArrayList<>();
        for (int hand = 0; hand < hands.size(); hand++) {
            int first = hand;
            running.add(threads.submit(() -> {
                for (int i = first; i < tokens.length; i += hands.size()) {
                    tokens[i] = hands.get(first).acquire(Kind.LOCK, keys.get(i), LEASE);
                }
            }));
        }
        running.forEach(ManyClients::result);
        return tokens;
    }

    private static long granted(Client client, String key) {
        String unused = client.await(Kind.LOCK, key);
        return System.nanoTime();
    }

    /** Releases all keys one by one in random order, while another thread counts the agent's connections. */
    private ManyKeysResult release(Client holder, List<String> keys, String[] tokens, List<Future<Long>> grants) {
        AtomicInteger connections = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread looking = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                connections.accumulateAndGet(Connections.established(agent), Math::max);
                Pause.millis(100);
            }
        });
        try (Probe probe = Probe.start(bed)) {
            double standing = share(() -> Pause.of(STANDING));
            long[] sent = new long[tokens.length];
            double busy = share(() -> {
                for (int key : shuffled(tokens.length)) {
                    sent[key] = System.nanoTime();
                    holder.release(Kind.LOCK, keys.get(key), tokens[key]);
                    Pause.millis(BETWEEN_RELEASES_MILLIS);
                }
            });
            Histogram watched = Latencies.histogram();
            Histogram beyond = Latencies.histogram();
            for (int i = 0; i < tokens.length; i++) {
                long nanos = ManyClients.result(grants.get(i)) - sent[i];
                (i < BUDGET ? watched : beyond).recordValue(Latencies.clamp(nanos));
            }
            probe.stop();
            return new ManyKeysResult(watched, beyond, connections.get(), standing, busy, probe.millis());
        } finally {
            over.set(true);
            join(looking);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    private static List<Integer> shuffled(int count) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(order, new Random(1));
        return order;
    }

    /** The share of a core that the gateway with the waiters uses during some work. */
    private double share(Runnable work) {
        Duration cpu = waiting.cpu();
        long start = System.nanoTime();
        work.run();
        return (double) waiting.cpu().minus(cpu).toNanos() / (System.nanoTime() - start);
    }
}
