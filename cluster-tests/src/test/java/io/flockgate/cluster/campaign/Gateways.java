package io.flockgate.cluster.campaign;

import io.flockgate.cluster.ClusterBed;
import io.flockgate.testsupport.GatewayProcess;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** One gateway at each Consul server, restarted when told to. Ports change with each start. */
final class Gateways implements GatewayPorts, AutoCloseable {
    private final List<URI> servers;
    private final FaultLog faults;
    private final String[] flags;
    private final AtomicReferenceArray<GatewayProcess> running;

    private Gateways(List<URI> servers, FaultLog faults, String... flags) {
        this.servers = servers;
        this.faults = faults;
        this.flags = flags;
        this.running = new AtomicReferenceArray<>(servers.size());
    }

    static Gateways start(List<URI> servers, FaultLog faults, String... flags) throws Exception {
        Gateways gateways = new Gateways(servers, faults, flags);
        try {
            for (int i = 0; i < servers.size(); i++) {
                gateways.launch(i);
            }
            gateways.awaitReady();
            return gateways;
        } catch (Exception | AssertionError e) {
            gateways.close();
            throw e;
        }
    }

    /** Starts a gateway in the place of one that has ended. */
    void launch(int gateway) throws InterruptedException {
        GatewayProcess process = ClusterBed.launcher()
                .onConsul(servers.get(gateway))
                .flags(flags)
                .start();
        process.listen(line -> {
            if (saysThatASessionIsLost(line)) {
                faults.lost(gateway);
            }
        });
        running.set(gateway, process);
    }

    private static boolean saysThatASessionIsLost(String line) {
        return line.contains("a session has ended in Consul")
                || line.contains("sessions in time; all locks and slots under them are given up");
    }

    GatewayProcess process(int gateway) {
        return running.get(gateway);
    }

    void awaitReady() throws Exception {
        for (int i = 0; i < size(); i++) {
            process(i).awaitReady(200);
        }
    }

    @Override
    public int size() {
        return servers.size();
    }

    @Override
    public int port(int gateway) {
        return process(gateway).port();
    }

    /** What all of them have logged last. */
    String logTails() {
        List<String> tails = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            tails.add("gateway " + i + ": " + process(i).logTail());
        }
        return String.join("\n", tails);
    }

    @Override
    public void close() {
        for (int i = 0; i < size(); i++) {
            GatewayProcess process = running.get(i);
            if (process != null) {
                process.close();
            }
        }
    }
}
