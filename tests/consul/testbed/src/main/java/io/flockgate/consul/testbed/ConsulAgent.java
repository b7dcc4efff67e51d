package io.flockgate.consul.testbed;

import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Consul agent on this machine: a single server, one of a {@link ConsulCluster}, or a client. It
 * ends with this JVM at the latest, however the JVM ends. Thread-safe.
 */
public final class ConsulAgent implements AutoCloseable {
    /**
     * A resource for {@code ResourceLock}: tests that load an agent share it, and tests whose calls
     * must be answered within the product's own seconds have it alone.
     */
    public static final String PROMPT_ANSWERS = "a Consul that answers promptly";

    static final int PORTS = 4;

    private static final String HOST = "127.0.0.1";
    private static final int ATTEMPTS = 3;
    private static final Duration ANSWERS = Duration.ofSeconds(2);
    private static final Duration READY = Duration.ofSeconds(30);
    private static final Pattern LAST_LOG_INDEX = Pattern.compile("\"last_log_index\":\\s*\"(\\d+)\"");
    private static final Pattern SESSION_ID = Pattern.compile("\"ID\":\\s*\"([0-9a-f-]+)\"");
    private static final Pattern UNSYNCED = Pattern.compile("\"TaggedAddresses\":\\s*null");

    private static @Nullable ConsulAgent shared;

    private final Path directory;
    private final boolean client;
    private final String host;
    private final int firstPort;
    private final boolean https;
    private final AgentProcess process;

    /** Writes the configuration and starts nothing. {@code servers} is empty for a single agent. */
    ConsulAgent(String host, int firstPort, List<String> servers, AgentOptions options) {
        this(host, firstPort, servers, false, options);
    }

    private ConsulAgent(String host, int firstPort, List<String> servers, boolean client, AgentOptions options) {
        this.client = client;
        this.host = host;
        this.firstPort = firstPort;
        this.https = options.https();
        try {
            this.directory = Files.createTempDirectory("flockgate-consul");
            Files.writeString(directory.resolve("base.json"), base(servers));
            Files.writeString(directory.resolve("more.json"), options.config());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.process = new AgentProcess(directory, command(servers.isEmpty() && !options.durable()));
    }

    /** An agent with data in memory only, ready for sessions. */
    public static ConsulAgent start() {
        return start(AgentOptions.plain());
    }

    /**
     * An agent that is ready for sessions.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one; or if the
     *     agent ends at once, with the end of its log
     */
    public static ConsulAgent start(AgentOptions options) {
        return attempted(
                () -> new ConsulAgent(HOST, Ports.adjacent(PORTS, List.of(HOST)), List.of(), options).launched());
    }

    /** Tries again if another process has taken a port. */
    static <T> T attempted(Supplier<T> start) {
        for (int attempt = 1; ; attempt++) {
            try {
                return start.get();
            } catch (IllegalStateException e) {
                if (attempt == ATTEMPTS || !String.valueOf(e.getMessage()).contains("address already in use")) {
                    throw e;
                }
            }
        }
    }

    /**
     * A client agent on another loopback address that joins any of these servers, which have this
     * one's ports.
     */
    ConsulAgent startClient(List<String> servers, AgentOptions options) {
        String net = "127." + ThreadLocalRandom.current().nextInt(1, 255) + "."
                + ThreadLocalRandom.current().nextInt(1, 255) + ".1";
        return new ConsulAgent(net, firstPort, servers, true, options).launched();
    }

    /** Starts the process, and closes this agent if that fails. */
    private ConsulAgent launched() {
        try {
            process.start();
            awaitReady();
            return this;
        } catch (IllegalStateException | AssertionError e) {
            close();
            throw e;
        }
    }

    /**
     * The agent that all tests in this JVM may share, each with its own keys. It is started at the
     * first call and must not be closed.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one
     */
    public static synchronized ConsulAgent shared() {
        if (shared == null) {
            // All tests that share the agent connect from one address, from which Consul accepts 200
            // connections, fewer than the gateways of parallel tests need.
            ConsulAgent agent =
                    start(AgentOptions.plain().withConfig("{\"limits\": {\"http_max_conns_per_client\": 2000}}"));
            Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "consul-shared-close"));
            shared = agent;
        }
        return shared;
    }

    private List<String> command(boolean dev) {
        List<String> line = new ArrayList<>(List.of(ConsulBinary.path().toString(), "agent"));
        if (dev) {
            line.add("-dev");
        } else {
            line.addAll(List.of("-data-dir", directory.resolve("data").toString()));
        }
        if (!dev && !client) {
            line.add("-server");
        }
        for (String file : List.of("base.json", "more.json")) {
            line.addAll(List.of("-config-file", directory.resolve(file).toString()));
        }
        return line;
    }

    /**
     * Turns off everything that contacts other hosts, is not under test, or writes to Raft by
     * itself.
     */
    private String base(List<String> servers) {
        // Agents on one address would share the port of 1.14, and older ones refuse its settings.
        boolean peering = ConsulBinary.hasPeering();
        return """
                {"node_name": "%s", "bind_addr": "%s", "client_addr": "%s",
                 "ports": {"http": %d, "server": %d, "serf_lan": %d, "https": %d, "serf_wan": -1, "dns": -1, "grpc": -1%s},
                 %s %s
                 "connect": {"enabled": false}, "disable_update_check": true, "disable_coordinates": true,
                 "leave_on_terminate": false, "log_level": "err", "performance": {"raft_multiplier": 1}}
                """.formatted(
                        "server-" + host.replace('.', '-') + "-" + firstPort,
                        host,
                        host,
                        firstPort,
                        firstPort + 1,
                        firstPort + 2,
                        https ? firstPort + 3 : -1,
                        peering ? ", \"grpc_tls\": -1" : "",
                        peering ? "\"peering\": {\"enabled\": false}," : "",
                        membership(servers));
    }

    private String membership(List<String> servers) {
        if (servers.isEmpty()) {
            return "\"bootstrap_expect\": 1,";
        }
        String join = servers.stream()
                .map(server -> "\"" + server + ":" + (firstPort + 2) + "\"")
                .collect(Collectors.joining(", "));
        String expected = client ? "" : "\"bootstrap_expect\": " + servers.size() + ",";
        return expected + " \"retry_join\": [%s], \"retry_interval\": \"1s\",".formatted(join);
    }

    /** The address of its HTTP API, as {@code http://127.0.0.1:port}. The same after a restart. */
    public URI address() {
        return URI.create("http://" + host + ":" + firstPort);
    }

    /** The address of its HTTPS API. */
    public URI httpsAddress() {
        if (!https) {
            throw new IllegalStateException("started without HTTPS");
        }
        return URI.create("https://" + host + ":" + (firstPort + 3));
    }

    String host() {
        return host;
    }

    String raftAddress() {
        return host + ":" + (firstPort + 1);
    }

    AgentProcess process() {
        return process;
    }

    private String ask(String method, String path, String body) {
        return HttpCall.ask(address(), method, path, body, ANSWERS);
    }

    /**
     * The number of the last entry in its Raft log. Rises by one with each write, and by one a
     * minute without one, because every leader writes such a barrier.
     *
     * @throws IllegalStateException if the agent does not answer within 2 s
     */
    public long raftIndex() {
        Matcher matcher = LAST_LOG_INDEX.matcher(ask("GET", "/v1/agent/self", ""));
        if (!matcher.find()) {
            throw new IllegalStateException("no Raft index from " + this);
        }
        return Long.parseLong(matcher.group(1));
    }

    /**
     * The Raft address of the leader in this agent's view; empty if it knows none or does not
     * answer.
     */
    String leaderNamed() {
        try {
            return process.answering()
                    ? ask("GET", "/v1/status/leader", "").strip().replace("\"", "")
                    : "";
        } catch (IllegalStateException e) {
            return "";
        }
    }

    boolean makesSessions() {
        try {
            Matcher id = SESSION_ID.matcher(ask("PUT", "/v1/session/create", "{\"Name\":\"ready?\"}"));
            return id.find()
                    && ask("PUT", "/v1/session/destroy/" + id.group(1), "").contains("true");
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /**
     * Whether the catalog contains the agents' addresses, which are the last entries that they
     * write at start-up.
     */
    private boolean hasSynced() {
        try {
            return !UNSYNCED.matcher(ask("GET", "/v1/catalog/nodes", "")).find();
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** The agent's process. */
    public long pid() {
        return process.pid();
    }

    /** Kills the agent, even if it is paused. */
    public void kill() {
        process.kill();
    }

    /**
     * Sends SIGTERM, and does not wait. With {@code leave_on_terminate} the agent then leaves its
     * cluster.
     */
    public void terminate() {
        process.terminate();
    }

    /** Waits until the agent's process has ended by itself, for half a minute. */
    public void awaitEnd() {
        process.awaitEnd();
    }

    /** Stops all threads of the agent, which keeps its connections but answers nothing. */
    public void pause() {
        process.pause();
    }

    /** Resumes a paused agent. */
    public void resume() {
        process.resume();
    }

    /**
     * Kills the agent if it runs, starts it again with the same ports and data, and waits until it
     * is ready.
     */
    public void restart() {
        relaunch();
        awaitReady();
    }

    /**
     * Restarts like {@link #restart} without waiting, for a server that needs others to become
     * ready.
     */
    public void relaunch() {
        process.kill();
        process.start();
    }

    /**
     * Waits until sessions can be created through the agent, for at most 30 s.
     *
     * @throws IllegalStateException if its process has ended, with the end of its log
     * @throws AssertionError if it is not ready in time, with the end of its log
     */
    public void awaitReady() {
        awaitReady(List.of(this));
    }

    /**
     * @param needed the agents without whose processes it does not become ready
     */
    void awaitReady(List<ConsulAgent> needed) {
        String unused = Polling.until(
                READY,
                () -> {
                    needed.forEach(each -> each.process.requireRunning());
                    return makesSessions() && hasSynced() ? "" : this + " is not ready:\n" + process.logTail();
                },
                String::isEmpty);
    }

    /** Runs consul's own command line against this agent, for at most a minute. */
    public CliResult cli(String... arguments) {
        return Commands.run(command(arguments));
    }

    /** Consul's own command line against this agent. The caller starts and ends it. */
    public ProcessBuilder command(String... arguments) {
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(Stream.of(ConsulBinary.path().toString()), Arrays.stream(arguments))
                        .toList());
        Commands.clean(builder.environment());
        builder.environment().put("CONSUL_HTTP_ADDR", address().toString());
        return builder;
    }

    /** Kills the agent and removes its files. Closing twice is harmless. */
    @Override
    public void close() {
        process.kill();
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return "ConsulAgent[" + address() + "]";
    }
}
