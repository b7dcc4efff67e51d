package io.flockgate.consul.testbed;

import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Several Consul servers on this machine with data on disk, each on its own loopback address and
 * all on the same ports. A killed or paused server remains a member. Timers are Consul's shortest
 * ({@code raft_multiplier} 1), so a dead leader is replaced within about 3 s. Thread-safe.
 */
public final class ConsulCluster implements AutoCloseable {
    private static final Duration ELECTED = Duration.ofSeconds(30);

    private final List<ConsulAgent> servers;

    private ConsulCluster(List<ConsulAgent> servers) {
        this.servers = servers;
    }

    /** A cluster in which sessions can be created through every server. */
    public static ConsulCluster start(int servers) {
        return start(servers, AgentOptions.plain());
    }

    /**
     * A cluster in which sessions can be created through every server.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one; or if a server
     *     ends at once, with the end of its log
     */
    public static ConsulCluster start(int servers, AgentOptions options) {
        return ConsulAgent.attempted(() -> create(servers, options.onDisk()).launched());
    }

    /** Waits for each server, and fails at once if one has ended, because the others need it. */
    private ConsulCluster launched() {
        try {
            servers.forEach(each -> each.process().start());
            servers.forEach(each -> each.awaitReady(servers));
            return this;
        } catch (IllegalStateException | AssertionError e) {
            close();
            throw e;
        }
    }

    private static ConsulCluster create(int servers, AgentOptions options) {
        // All of 127.0.0.0/8 is loopback. A random subnet keeps clusters of different processes
        // apart.
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String net = "127." + random.nextInt(1, 255) + "." + random.nextInt(1, 255) + ".";
        List<String> hosts =
                IntStream.range(0, servers).mapToObj(i -> net + (11 + i)).toList();
        int firstPort = Ports.adjacent(ConsulAgent.PORTS, hosts);
        return new ConsulCluster(hosts.stream()
                .map(host -> new ConsulAgent(host, firstPort, hosts, options))
                .toList());
    }

    /**
     * A client agent that joins any of the servers, and is ready for sessions. Must be closed
     * before the cluster.
     */
    public ConsulAgent client(AgentOptions options) {
        return servers.getFirst()
                .startClient(servers.stream().map(ConsulAgent::host).toList(), options);
    }

    /** All servers, including dead ones, always in the same order. */
    public List<ConsulAgent> servers() {
        return servers;
    }

    /** The addresses of the servers' HTTP APIs, in the order of {@link #servers}. */
    public List<URI> addresses() {
        return servers.stream().map(ConsulAgent::address).toList();
    }

    /**
     * The server that more than half of all servers, including itself, consider the leader.
     *
     * @throws IllegalStateException if there is none now
     */
    public ConsulAgent leader() {
        return findLeader().orElseThrow(() -> new IllegalStateException("no leader now"));
    }

    /** The servers that are running, not paused, and not leading. Fails as {@link #leader} does. */
    public List<ConsulAgent> followers() {
        ConsulAgent leader = leader();
        return servers.stream()
                .filter(server -> server != leader && server.process().answering())
                .toList();
    }

    /**
     * The leader, as soon as there is one through which sessions can be created; waits at most 30
     * s.
     */
    public ConsulAgent awaitLeader() {
        return Polling.until(
                        ELECTED,
                        this::findLeader,
                        leader -> leader.filter(ConsulAgent::makesSessions).isPresent())
                .orElseThrow();
    }

    /** The number of the last entry in the leader's Raft log. */
    public long raftIndex() {
        return leader().raftIndex();
    }

    private Optional<ConsulAgent> findLeader() {
        List<String> named = servers.stream().map(ConsulAgent::leaderNamed).toList();
        return IntStream.range(0, servers.size())
                .filter(i -> leads(servers.get(i).raftAddress(), i, named))
                .mapToObj(servers::get)
                .findFirst();
    }

    private static boolean leads(String address, int index, List<String> named) {
        long votes = named.stream().filter(address::equals).count();
        return named.get(index).equals(address) && 2 * votes > named.size();
    }

    /** Kills all servers and removes their files. Closing twice is harmless. */
    @Override
    public void close() {
        servers.forEach(ConsulAgent::close);
    }
}
