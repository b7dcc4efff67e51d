package io.flockgate.consul.testbed;

import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** An agent run from a binary: its directory, configuration, ports and process. */
final class LocalAgent implements AutoCloseable {
    static final int PORTS = 4;

    private static final String HOST = "127.0.0.1";
    private static final int ATTEMPTS = 3;

    private final Path directory;
    private final boolean client;
    private final String host;
    private final int firstPort;
    private final boolean https;
    private final AgentProcess process;
    private final ConsulApi api;

    /** Writes the configuration and starts nothing. {@code servers} is empty for a single agent. */
    LocalAgent(String host, int firstPort, List<String> servers, AgentOptions options) throws IOException {
        this(host, firstPort, servers, false, options);
    }

    private LocalAgent(String host, int firstPort, List<String> servers, boolean client, AgentOptions options)
            throws IOException {
        this.client = client;
        this.host = host;
        this.firstPort = firstPort;
        this.https = options.https();
        this.directory = Files.createTempDirectory("flockgate-consul");
        Files.writeString(directory.resolve("base.json"), base(servers));
        Files.writeString(directory.resolve("more.json"), options.config());
        this.process = new AgentProcess(directory, command(servers.isEmpty() && !options.durable()));
        this.api = new ConsulApi(address(), options.token());
    }

    static LocalAgent start(AgentOptions options) {
        IllegalStateException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            LocalAgent agent = create(options);
            try {
                return agent.started();
            } catch (IllegalStateException e) {
                failure = e;
                if (!lostItsPort(e)) {
                    break;
                }
            }
        }
        throw new IllegalStateException("Consul did not start: " + options, failure);
    }

    /**
     * Starts a client agent on another loopback address that joins any of these servers, which have
     * this one's ports.
     */
    LocalAgent startClient(List<String> servers, AgentOptions options) {
        String net = "127." + ThreadLocalRandom.current().nextInt(1, 255) + "."
                + ThreadLocalRandom.current().nextInt(1, 255) + ".1";
        try {
            return new LocalAgent(net, firstPort, servers, true, options).started();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the process, and closes this agent if that fails. */
    private LocalAgent started() {
        try {
            process.start();
            awaitReady();
            return this;
        } catch (IllegalStateException e) {
            close();
            throw e;
        }
    }

    private static LocalAgent create(AgentOptions options) {
        try {
            return new LocalAgent(HOST, Ports.adjacent(PORTS, List.of(HOST)), List.of(), options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean lostItsPort(IllegalStateException e) {
        return String.valueOf(e.getMessage()).contains("address already in use");
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
        ConsulVersion version = ConsulBinary.version();
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
                        version.portsOff(),
                        version.featuresOff(),
                        membership(servers));
    }

    private String membership(List<String> servers) {
        if (servers.isEmpty()) {
            return "\"bootstrap_expect\": 1,";
        }
        String join = String.join(
                ", ",
                servers.stream()
                        .map(server -> "\"" + server + ":" + (firstPort + 2) + "\"")
                        .toList());
        String expected = client ? "" : "\"bootstrap_expect\": " + servers.size() + ",";
        return expected + " \"retry_join\": [%s], \"retry_interval\": \"1s\",".formatted(join);
    }

    URI address() {
        return URI.create("http://" + host + ":" + firstPort);
    }

    URI httpsAddress() {
        if (!https) {
            throw new IllegalStateException("started without HTTPS");
        }
        return URI.create("https://" + host + ":" + (firstPort + 3));
    }

    String host() {
        return host;
    }

    AgentProcess process() {
        return process;
    }

    ConsulApi api() {
        return api;
    }

    String raftAddress() {
        return host + ":" + (firstPort + 1);
    }

    /**
     * The Raft address of the leader in this agent's view; empty if it knows none or does not
     * answer.
     */
    String leaderNamed() {
        return process.answering() ? api.leader() : "";
    }

    void relaunch() {
        process.kill();
        process.start();
    }

    void awaitReady() {
        Ready.await(api, process::running, process::logTail);
    }

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
}
