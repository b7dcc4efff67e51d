package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.ProcessMeter;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import java.net.URI;
import java.util.List;
import java.util.function.LongSupplier;

/** The Consul servers of a measurement. Closing kills them. */
final class Bed implements AutoCloseable {
    private final String name;
    private final List<ConsulAgent> servers;
    private final LongSupplier raftIndex;
    private final AutoCloseable owner;

    private Bed(String name, List<ConsulAgent> servers, LongSupplier raftIndex, AutoCloseable owner) {
        this.name = name;
        this.servers = servers;
        this.raftIndex = raftIndex;
        this.owner = owner;
    }

    /** One server with its data on disk. */
    static Bed one() {
        ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().onDisk());
        return new Bed("1 server", List.of(agent), agent::raftIndex, agent);
    }

    /** Three servers with their data on disk, each used by one gateway. */
    static Bed three() {
        ConsulCluster cluster = ConsulCluster.start(3);
        return new Bed("3 servers", cluster.servers(), cluster::raftIndex, cluster);
    }

    String name() {
        return name;
    }

    /** The address of the server that the gateway with this number uses. */
    URI address(int gateway) {
        return servers.get(gateway % servers.size()).address();
    }

    List<URI> addresses() {
        return servers.stream().map(ConsulAgent::address).toList();
    }

    /** The index of the last entry in the leader's log. */
    long raftIndex() {
        return raftIndex.getAsLong();
    }

    /** CPU time of all servers so far. */
    long cpuNanos() {
        return servers.stream()
                .mapToLong(each -> new ProcessMeter(each.pid()).cpuNanos())
                .sum();
    }

    @Override
    public void close() {
        try {
            owner.close();
        } catch (Exception e) {
            throw new BenchException("Consul could not be stopped", e);
        }
    }
}
