package io.flockgate.cluster.fleet;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Thirty machines in two groups. */
final class Fleet implements AutoCloseable {
    /** For {@code --fleetlock-groups}. */
    static final String GROUPS = "default=1,workers=4";

    private static final Map<String, Integer> SLOTS = Map.of("default", 1, "workers", 4);
    private static final int OF_DEFAULT = 5;
    private static final int OF_WORKERS = 25;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final Witness witness = new Witness(SLOTS);
    private final List<ZincatiMachine> machines = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param servers a server that may be up, chosen again for each request
     */
    Fleet(Supplier<URI> servers, long seed) {
        for (int i = 0; i < OF_DEFAULT; i++) {
            machines.add(new ZincatiMachine("default", "d" + i, servers, http, witness, seed + i));
        }
        for (int i = 0; i < OF_WORKERS; i++) {
            machines.add(new ZincatiMachine("workers", "w" + i, servers, http, witness, seed + 100 + i));
        }
        machines.forEach(machine -> threads.add(Thread.ofVirtual().start(machine)));
    }

    Witness witness() {
        return witness;
    }

    /** The machines that are not both updated and up. */
    List<ZincatiMachine> unfinished() {
        return machines.stream().filter(machine -> !machine.isDone()).toList();
    }

    @Override
    public void close() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
        http.close();
    }
}
