package io.flockgate.cluster.campaign;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import io.flockgate.testsupport.FaultyLink;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three Consul servers and a client agent, and the paths of four gateways to them. Gateways 0 and 1
 * are beside servers 0 and 1. Gateways 2 and 3 share the client agent, which leaves its cluster on
 * SIGTERM. All gateways but 0 have a {@link FaultyLink}.
 */
final class Topology implements AutoCloseable {
    static final int GATEWAYS = 4;

    /** The gateways that share the client agent. */
    static final SortedSet<Integer> SHARING = Collections.unmodifiableSortedSet(new TreeSet<>(List.of(2, 3)));

    /** The gateways that reach their agent over a link. */
    static final List<Integer> LINKED = List.of(1, 2, 3);

    private static final String SERVER =
            "{\"autopilot\": {\"cleanup_dead_servers\": false}, \"session_ttl_min\": \"1s\"}";

    /** Half of the connections that an agent accepts by default. */
    private static final String CLIENT = """
            {"leave_on_terminate": true, "session_ttl_min": "1s", "limits": {"http_max_conns_per_client": 100}}""";

    private final ConsulCluster servers;
    private final ConsulAgent client;
    private final List<FaultyLink> links;
    private final int foreignEntries;

    private Topology(ConsulCluster servers, ConsulAgent client, int foreignEntries) {
        this.foreignEntries = foreignEntries;
        this.servers = servers;
        this.client = client;
        this.links = LINKED.stream().map(each -> FaultyLink.to(agent(each))).toList();
    }

    /**
     * @param foreignEntries the number of entries of other programs under the gateways' prefix
     */
    static Topology start(int foreignEntries) {
        ConsulCluster servers = ConsulCluster.start(3, AgentOptions.plain().withConfig(SERVER));
        try {
            ConsulAgent unused = servers.awaitLeader();
            ForeignEntries.write(servers.addresses().getFirst(), foreignEntries);
            return new Topology(servers, servers.client(AgentOptions.plain().withConfig(CLIENT)), foreignEntries);
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    ConsulCluster servers() {
        return servers;
    }

    ConsulAgent client() {
        return client;
    }

    FaultyLink link(int gateway) {
        return links.get(LINKED.indexOf(gateway));
    }

    private URI agent(int gateway) {
        return SHARING.contains(gateway)
                ? client.address()
                : servers.addresses().get(gateway);
    }

    /** The addresses that the gateways use. */
    List<URI> addresses() {
        return IntStream.range(0, GATEWAYS)
                .mapToObj(each -> LINKED.contains(each) ? link(each).uri("http") : agent(each))
                .toList();
    }

    /**
     * The gateways whose requests may go through this server. Which server a client agent uses is
     * not known.
     */
    Set<Integer> behind(ConsulAgent server) {
        int own = servers.servers().indexOf(server);
        return Stream.of(SHARING, Set.of(own)).flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
    }

    /** Deletes all entries under the gateways' prefix. Other programs write theirs again. */
    void deleteEntries(ConsulAgent server) {
        ForeignEntries.deleteAll(server.address());
        ForeignEntries.write(server.address(), foreignEntries);
    }

    @Override
    public void close() {
        links.forEach(FaultyLink::close);
        client.close();
        servers.close();
    }
}
