package io.flockgate.cluster.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Thirty machines update themselves while machines and gateways crash: a group never has more
 * machines away than slots, and in the end all are updated and every slot is free.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class FleetTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** For {@code --fleetlock-groups}. */
    private static final String GROUPS = "default=1,workers=4";

    private static final Map<String, Integer> SLOTS = Map.of("default", 1, "workers", 4);

    @RegisterExtension
    private final ClusterBed bed = new ClusterBed();

    private final Random random = new Random(11);
    private final List<GatewayProcess> gateways = new CopyOnWriteArrayList<>();
    private int crashes;

    /** Thirty machines in two groups. */
    private static final class Fleet implements AutoCloseable {
        private static final int OF_DEFAULT = 5;
        private static final int OF_WORKERS = 25;

        private final HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(Duration.ofSeconds(2))
                .build();
        private final Witness witness = new Witness();
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

    /**
     * Counts the machines of each group that may be away, independently of any server's view.
     * Thread-safe.
     */
    static final class Witness {
        private final Map<String, Integer> away = new HashMap<>();
        private final Map<String, Integer> most = new TreeMap<>();
        private final List<String> faults = new CopyOnWriteArrayList<>();
        private int departures;

        /** A machine has been permitted to reboot. */
        synchronized void leaves(String group, String id) {
            departures++;
            int now = away.merge(group, 1, Integer::sum);
            most.merge(group, now, Math::max);
            if (now > SLOTS.getOrDefault(group, 0)) {
                fault(now + " of " + group + " away, " + id + " the last");
            }
        }

        /** The number of reboots that were permitted. */
        synchronized int departures() {
            return departures;
        }

        /** A machine is about to report that it is up. */
        synchronized void returns(String group) {
            away.merge(group, -1, Integer::sum);
        }

        /** Any other violation. */
        void fault(String what) {
            faults.add(what);
        }

        /** The maximum number of machines of each group that were away at the same time. */
        synchronized Map<String, Integer> most() {
            return Map.copyOf(most);
        }
    }

    private interface Start {
        GatewayProcess start() throws Exception;
    }

    private URI anyGateway() {
        List<GatewayProcess> now = List.copyOf(gateways);
        return now.get(ThreadLocalRandom.current().nextInt(now.size())).http();
    }

    /** A gateway crashes and another one takes its place, which may take a moment. */
    private void crash(Start start) throws Exception {
        Thread.sleep(300 + random.nextInt(700));
        int which = random.nextInt(gateways.size());
        gateways.get(which).kill();
        gateways.set(which, start.start());
        crashes++;
    }

    private void pause() throws Exception {
        GatewayProcess gateway = gateways.get(random.nextInt(gateways.size()));
        gateway.pause();
        Thread.sleep(random.nextInt(400));
        gateway.resume();
    }

    /**
     * Waits until a gateway has permitted one more reboot. On a busy machine a new gateway needs
     * longer than the time between two crashes to permit the first one.
     */
    private static void awaitDeparture(Fleet fleet, long begun) throws InterruptedException {
        int before = fleet.witness.departures();
        while (fleet.witness.departures() == before && !fleet.unfinished().isEmpty() && hasTime(begun)) {
            Thread.sleep(5);
        }
    }

    private static boolean hasTime(long begun) {
        return System.nanoTime() - begun < Polling.patience(PATIENCE).toNanos();
    }

    private void updateAll(Start start, Disruption disruption) throws Exception {
        long begun = System.nanoTime();
        try (Fleet fleet = new Fleet(this::anyGateway, 7)) {
            while (!fleet.unfinished().isEmpty() && hasTime(begun)) {
                crash(start);
                disruption.make();
                awaitDeparture(fleet, begun);
            }
            assertThat(fleet.witness.faults).isEmpty();
            assertThat(fleet.unfinished()).isEmpty();
            // Otherwise the machines were never in each other's way, or nothing crashed meanwhile.
            assertThat(fleet.witness.most()).isEqualTo(SLOTS);
            assertThat(crashes).isPositive();
        }
        assertThat(HttpCall.ask(gateways.getFirst().http(), "GET", "/v1/fleetlock/groups", ""))
                .contains(
                        "\"group\":\"default\",\"slots\":1,\"held\":0", "\"group\":\"workers\",\"slots\":4,\"held\":0");
    }

    private interface Disruption {
        void make() throws Exception;
    }

    @Test
    void oneGatewayWithAJournal(@TempDir Path directory) throws Exception {
        Start start = () -> bed.gateway("--fleetlock-groups=" + GROUPS, "--data-dir=" + directory.resolve("data"));
        gateways.add(start.start());

        updateAll(start, () -> {});
    }

    @Test
    void threeGatewaysOnConsul() throws Exception {
        ConsulAgent consul = bed.consul();
        Start start = () -> bed.gateway(consul.address(), "--fleetlock-groups=" + GROUPS);
        for (int i = 0; i < 3; i++) {
            gateways.add(start.start());
        }

        updateAll(start, () -> {
            pause();
            consul.pause();
            Thread.sleep(random.nextInt(300));
            consul.resume();
        });
    }
}
