package io.flockgate.client.consul;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.http.DefaultTrust;
import io.flockgate.consul.format.HoldersForm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link ConsulBackend}. Immutable: each method returns a changed copy. A method
 * throws {@link LeaseConfigException} if its argument cannot work. Safe from any thread.
 *
 * {@snippet :
 * ConsulOptions options = ConsulOptions.agents(List.of(URI.create("consul://127.0.0.1:8500/flockgate")))
 *         .clientName("billing-7")
 *         .aclTokenFile(Path.of("/run/secrets/consul-token"));
 * }
 */
public final class ConsulOptions {
    private final List<ConsulAddress> agents;
    private final @Nullable String clientName;
    private final Supplier<String> token;
    private final @Nullable SSLContext tls;
    private final Map<String, String> mapped;
    private final @Nullable Boolean mapHolders;
    private final Duration leastTtl;
    private final @Nullable Executor executor;
    private final LeaseEnvironment environment;

    private ConsulOptions(
            List<ConsulAddress> agents,
            @Nullable String clientName,
            Supplier<String> token,
            @Nullable SSLContext tls,
            Map<String, String> mapped,
            @Nullable Boolean mapHolders,
            Duration leastTtl,
            @Nullable Executor executor,
            LeaseEnvironment environment) {
        this.agents = agents;
        this.clientName = clientName;
        this.token = token;
        this.tls = tls;
        this.mapped = mapped;
        this.mapHolders = mapHolders;
        this.leastTtl = leastTtl;
        this.executor = executor;
        this.environment = environment;
    }

    /**
     * Agents of one Consul cluster: one is used, and the next if it cannot be reached.
     *
     * @param agents {@code consul://host[:8500][/prefix]}, or {@code consuls://} for HTTPS. The
     *     prefix is that of the gateways' {@code --consul-prefix}, by default {@code flockgate}
     * @throws LeaseConfigException if there is no address, one is of another kind, or they differ
     *     in scheme or prefix
     */
    public static ConsulOptions agents(List<URI> agents) {
        List<ConsulAddress> addresses = agents.stream().map(ConsulAddress::of).toList();
        require(!addresses.isEmpty(), "at least one agent is needed");
        boolean mixed = addresses.stream()
                        .map(each -> each.agent().getScheme() + " " + each.base())
                        .distinct()
                        .count()
                > 1;
        require(!mixed, "the agents of one cluster all have one scheme and one prefix");
        return new ConsulOptions(
                addresses,
                null,
                () -> "",
                null,
                Map.of(),
                null,
                Duration.ofSeconds(10),
                null,
                LeaseEnvironment.system());
    }

    /**
     * Names the client for operators: 1 to 128 printable ASCII characters without blanks. Gateways
     * show the name next to what the client holds and waits for.
     */
    public ConsulOptions clientName(String name) {
        String valid = ConnectOptions.defaults().clientName(name).clientName();
        return new ConsulOptions(agents, valid, token, tls, mapped, mapHolders, leastTtl, executor, environment);
    }

    /**
     * Consul's ACL token. It is requested for each request to Consul, so it may change. Empty for
     * none.
     */
    public ConsulOptions aclToken(Supplier<String> supplier) {
        return new ConsulOptions(
                agents, clientName, supplier, tls, mapped, mapHolders, leastTtl, executor, environment);
    }

    /** A file with Consul's ACL token. It is read for each request, so the token may change. */
    public ConsulOptions aclTokenFile(Path file) {
        return aclToken(() -> {
            try {
                return Files.readString(file).strip();
            } catch (IOException unreadable) {
                throw new UncheckedIOException("the file of the ACL token cannot be read", unreadable);
            }
        });
    }

    /**
     * Trust and keys for {@code consuls://}. Default: those of the JVM. The agent's name is always
     * checked.
     */
    public ConsulOptions sslContext(SSLContext context) {
        return new ConsulOptions(
                agents, clientName, token, context, mapped, mapHolders, leastTtl, executor, environment);
    }

    /**
     * Maps a name to its own prefix, as the gateways' {@code --consul-map} does. All members of a
     * cluster have the same map.
     */
    public ConsulOptions map(String name, String prefix) {
        Map<String, String> more = new LinkedHashMap<>(mapped);
        more.put(name, ConsulAddress.canonical(prefix));
        return new ConsulOptions(
                agents, clientName, token, tls, Map.copyOf(more), mapHolders, leastTtl, executor, environment);
    }

    /**
     * The form of the holders in new semaphores, like the gateways' {@code --consul-holders}: true
     * for the map that Consul's own tools read, false for the list. By default, the client uses the
     * form in the cluster's record, or the list if there is no record.
     */
    public ConsulOptions holdersAsMap(boolean asMap) {
        return new ConsulOptions(agents, clientName, token, tls, mapped, asMap, leastTtl, executor, environment);
    }

    /**
     * The {@code session_ttl_min} of Consul's servers, if it is not 10 seconds. No lease may be
     * shorter.
     */
    public ConsulOptions sessionTtlMin(Duration least) {
        require(least.compareTo(Duration.ofSeconds(1)) >= 0, "sessionTtlMin is at least one second");
        return new ConsulOptions(agents, clientName, token, tls, mapped, mapHolders, least, executor, environment);
    }

    /**
     * Threads that carry out requests, and may block while a claim waits; see {@link
     * ConnectOptions#ioExecutor}. Default: virtual threads if the JVM has them, otherwise daemon
     * threads.
     */
    public ConsulOptions ioExecutor(@Nullable Executor given) {
        return new ConsulOptions(agents, clientName, token, tls, mapped, mapHolders, leastTtl, given, environment);
    }

    /** Clocks, timers and threads. Default: {@link LeaseEnvironment#system()}. */
    public ConsulOptions environment(LeaseEnvironment given) {
        return new ConsulOptions(agents, clientName, token, tls, mapped, mapHolders, leastTtl, executor, given);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new LeaseConfigException(otherwise);
        }
    }

    List<URI> agents() {
        return agents.stream().map(ConsulAddress::agent).toList();
    }

    String base() {
        return agents.get(0).base();
    }

    String clientName() {
        return clientName == null ? "java-" + ProcessHandle.current().pid() : clientName;
    }

    /** The name that the user has given; null without one. */
    @Nullable
    String givenName() {
        return clientName;
    }

    String token() {
        return token.get();
    }

    SSLContext tls() {
        return DefaultTrust.unless(tls);
    }

    Map<String, String> mapped() {
        return mapped;
    }

    /** The form of the holders in new semaphores; null for that of the record. */
    @Nullable
    HoldersForm holders() {
        return mapHolders == null ? null : mapHolders ? HoldersForm.MAP : HoldersForm.LIST;
    }

    Duration leastTtl() {
        return leastTtl;
    }

    /** The user's threads; null for the back end's own. */
    @Nullable
    Executor ioExecutor() {
        return executor;
    }

    LeaseEnvironment environment() {
        return environment;
    }

    /** Omits the token. */
    @Override
    public String toString() {
        return "client " + clientName() + " of Consul at " + agents();
    }
}
