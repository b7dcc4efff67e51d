package io.flockgate.cluster.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
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

    @RegisterExtension
    private final ClusterBed bed = new ClusterBed();

    private final Random random = new Random(11);
    private final List<GatewayProcess> gateways = new CopyOnWriteArrayList<>();
    private int crashes;

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
        int before = fleet.witness().departures();
        while (fleet.witness().departures() == before && !fleet.unfinished().isEmpty() && hasTime(begun)) {
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
            assertThat(fleet.witness().faults()).isEmpty();
            assertThat(fleet.unfinished()).isEmpty();
            // Otherwise the machines were never in each other's way, or nothing crashed meanwhile.
            assertThat(fleet.witness().most()).containsEntry("default", 1).containsEntry("workers", 4);
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
        Start start =
                () -> bed.gateway("--fleetlock-groups=" + Fleet.GROUPS, "--data-dir=" + directory.resolve("data"));
        gateways.add(start.start());

        updateAll(start, () -> {});
    }

    @Test
    void threeGatewaysOnConsul() throws Exception {
        ConsulAgent consul = bed.consul();
        Start start = () -> bed.gateway(consul.address(), "--fleetlock-groups=" + Fleet.GROUPS);
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
