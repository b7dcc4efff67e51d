package io.flockgate.bench.consul;

import io.flockgate.bench.ProcessMeter;
import io.flockgate.consul.testbed.ConsulCluster;
import java.net.URI;
import java.util.List;

/** The Consul servers of a measurement, with their data on disk. Closing kills them. */
record Bed(ConsulCluster cluster) implements AutoCloseable {
    static Bed of(int servers) {
        return new Bed(ConsulCluster.start(servers));
    }

    String name() {
        int servers = cluster.servers().size();
        return servers == 1 ? "1 server" : servers + " servers";
    }

    /** The address of the server that the gateway with this number uses. */
    URI address(int gateway) {
        return addresses().get(gateway % addresses().size());
    }

    List<URI> addresses() {
        return cluster.addresses();
    }

    /** The index of the last entry in the leader's log. */
    long raftIndex() {
        return cluster.raftIndex();
    }

    /** CPU time of all servers so far. */
    long cpuNanos() {
        return cluster.servers().stream()
                .mapToLong(each -> new ProcessMeter(each.pid()).cpuNanos())
                .sum();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
