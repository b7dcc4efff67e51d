package io.flockgate.consul.testbed;

import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final int ATTEMPTS = 3;
    private static final Duration ELECTED = Duration.ofSeconds(30);

    private final List<LocalAgent> locals;
    private final List<ConsulAgent> servers;

    private ConsulCluster(List<LocalAgent> locals, AgentOptions options) {
        this.locals = List.copyOf(locals);
        this.servers = locals.stream()
                .map(local -> new ConsulAgent(local, options.token()))
                .toList();
    }

    /** A cluster in which sessions can be created through every server. */
    public static ConsulCluster start(int servers) {
        return start(servers, AgentOptions.plain());
    }

    /**
     * A cluster in which sessions can be created through every server.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one; or if the
     *     cluster does not become ready, with the ends of the logs
     */
    public static ConsulCluster start(int servers, AgentOptions options) {
        IllegalStateException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            ConsulCluster cluster = create(servers, options.onDisk());
            try {
                cluster.locals.forEach(local -> local.process().start());
                cluster.awaitReady();
                return cluster;
            } catch (IllegalStateException e) {
                cluster.close();
                failure = e;
                if (!LocalAgent.lostItsPort(e)) {
                    break;
                }
            }
        }
        throw new IllegalStateException(servers + " Consul servers did not start: " + options, failure);
    }

    /** Waits for each server, and fails at once if one has ended, because the others need it. */
    private void awaitReady() {
        for (LocalAgent local : locals) {
            Ready.await(
                    local.api(),
                    () -> locals.stream().allMatch(each -> each.process().running()),
                    this::logTails);
        }
    }

    private static ConsulCluster create(int servers, AgentOptions options) {
        // All of 127.0.0.0/8 is loopback. A random subnet keeps clusters of different processes
        // apart.
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String net = "127." + random.nextInt(1, 255) + "." + random.nextInt(1, 255) + ".";
        List<String> hosts =
                IntStream.range(0, servers).mapToObj(i -> net + (11 + i)).toList();
        int firstPort = Ports.adjacent(LocalAgent.PORTS, hosts);
        List<LocalAgent> locals = new ArrayList<>();
        try {
            for (String host : hosts) {
                locals.add(new LocalAgent(host, firstPort, hosts, options));
            }
            return new ConsulCluster(locals, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A client agent that joins any of the servers, and is ready for sessions. Must be closed
     * before the cluster.
     *
     * @throws IllegalStateException if it does not become ready, with the end of its log
     */
    public ConsulAgent client(AgentOptions options) {
        List<String> hosts = locals.stream().map(LocalAgent::host).toList();
        return new ConsulAgent(locals.getFirst().startClient(hosts, options), options.token());
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
                .filter(server -> server != leader && server.answering())
                .toList();
    }

    /**
     * The leader, as soon as there is one through which sessions can be created; waits at most 30
     * s.
     */
    public ConsulAgent awaitLeader() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < ELECTED.toNanos()) {
            Optional<ConsulAgent> leader = findLeader();
            if (leader.isPresent()
                    && locals.get(servers.indexOf(leader.get())).api().makesSessions()) {
                return leader.get();
            }
            Pause.shortly();
        }
        throw new IllegalStateException("no leader after " + ELECTED + ":\n" + logTails());
    }

    /** The number of the last entry in the leader's Raft log. */
    public long raftIndex() {
        return leader().raftIndex();
    }

    private Optional<ConsulAgent> findLeader() {
        List<String> named = locals.stream().map(LocalAgent::leaderNamed).toList();
        return IntStream.range(0, locals.size())
                .filter(i -> leads(locals.get(i).raftAddress(), i, named))
                .mapToObj(servers::get)
                .findFirst();
    }

    private static boolean leads(String address, int index, List<String> named) {
        long votes = named.stream().filter(address::equals).count();
        return named.get(index).equals(address) && 2 * votes > named.size();
    }

    private String logTails() {
        return String.join(
                "\n--\n",
                locals.stream().map(local -> local.process().logTail()).toList());
    }

    /** Kills all servers and removes their files. Closing twice is harmless. */
    @Override
    public void close() {
        servers.forEach(ConsulAgent::close);
    }
}
