package io.flockgate.bench.consul;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.consul.testbed.ConsulCluster;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.URI;
import java.util.List;

/**
 * The Consul servers of a measurement, with their data on disk. Closing kills them.
 *
 * @param idle a server that nothing uses
 */
record Bed(ConsulCluster cluster, ConsulCluster idle, String launcher) implements AutoCloseable {
    String name() {
        int servers = cluster.servers().size();
        return servers == 1 ? "1 server" : servers + " servers";
    }

    List<URI> addresses() {
        return cluster.addresses();
    }

    /** Starts the gateway with this number as shipped, on the server that it uses. */
    GatewayProcess gateway(int number, String node) throws InterruptedException {
        return GatewayLauncher.of(List.of(launcher))
                .onConsul(addresses().get(number % addresses().size()))
                .flags("--node-name", node, "--max-locks", "100000")
                .start();
    }

    /** CPU time of all servers so far. */
    long cpuNanos() {
        return cluster.servers().stream()
                .mapToLong(each -> new ProcessMeter(each.pid()).cpuNanos())
                .sum();
    }

    /** Starts a count of the entries in Consul's log. */
    Count count() {
        return new Count(cluster.raftIndex(), idle.raftIndex());
    }

    /** A count in progress: the numbers of the last entries at its start. */
    final class Count {
        private final long from;
        private final long idleFrom;

        private Count(long from, long idleFrom) {
            this.from = from;
            this.idleFrom = idleFrom;
        }

        /** Entries since the start, excluding Consul's own and {@code others}. */
        long entries(long others) {
            return cluster.raftIndex() - from - own() - others;
        }

        /** Entries that Consul itself has written since the start, from the idle server. */
        long own() {
            return idle.raftIndex() - idleFrom;
        }
    }

    @Override
    public void close() {
        cluster.close();
    }
}
