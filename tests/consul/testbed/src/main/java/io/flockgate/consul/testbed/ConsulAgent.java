package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running Consul agent on this machine: a single server, or one of a {@link ConsulCluster}. It
 * ends with this JVM at the latest, however the JVM ends. Thread-safe.
 */
public final class ConsulAgent implements AutoCloseable {
    /**
     * A resource for {@code ResourceLock}: tests that load an agent share it, and tests whose calls
     * must be answered within the product's own seconds have it alone.
     */
    public static final String PROMPT_ANSWERS = "a Consul that answers promptly";

    private static @Nullable ConsulAgent shared;

    private final LocalAgent local;
    private final @Nullable String token;

    ConsulAgent(LocalAgent local, @Nullable String token) {
        this.local = local;
        this.token = token;
    }

    /** An agent with data in memory only, ready for sessions. */
    public static ConsulAgent start() {
        return start(AgentOptions.plain());
    }

    /**
     * An agent that is ready for sessions. If its ACLs refuse the test bed, it is ready to refuse.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one; or if the
     *     agent does not become ready, with the end of its log
     */
    public static ConsulAgent start(AgentOptions options) {
        return new ConsulAgent(LocalAgent.start(options), options.token());
    }

    /**
     * The agent that all tests in this JVM may share, each with its own keys. It is started at the
     * first call and must not be closed.
     *
     * @throws IllegalStateException if there is no Consul, with the ways to get one
     */
    public static synchronized ConsulAgent shared() {
        if (shared == null) {
            ConsulAgent agent = startForMany();
            Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "consul-shared-close"));
            shared = agent;
        }
        return shared;
    }

    /**
     * Raises a limit: all tests that share the agent connect from one address, from which Consul
     * accepts 200 connections, fewer than the gateways of parallel tests need.
     */
    private static ConsulAgent startForMany() {
        return start(AgentOptions.plain().withConfig("{\"limits\": {\"http_max_conns_per_client\": 2000}}"));
    }

    /** The address of its HTTP API, as {@code http://127.0.0.1:port}. The same after a restart. */
    public URI address() {
        return local.address();
    }

    /** The address of its HTTPS API. */
    public URI httpsAddress() {
        return local.httpsAddress();
    }

    /**
     * The number of the last entry in its Raft log. Rises by one with each write, and by one a
     * minute without one, because every leader writes such a barrier.
     *
     * @throws UncheckedIOException if the agent does not answer within 2 s
     */
    public long raftIndex() {
        try {
            return local.api().raftIndex();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The agent's process. */
    public long pid() {
        return local.process().pid();
    }

    /** Kills the agent, even if it is paused. */
    public void kill() {
        local.process().kill();
    }

    /**
     * Sends SIGTERM, and does not wait. With {@code leave_on_terminate} the agent then leaves its
     * cluster.
     */
    public void terminate() {
        local.process().terminate();
    }

    /**
     * Waits until the agent's process has ended by itself.
     *
     * @throws IllegalStateException if it has not ended after half a minute
     */
    public void awaitEnd() {
        local.process().awaitEnd();
    }

    /** Stops all threads of the agent, which keeps its connections but answers nothing. */
    public void pause() {
        local.process().pause();
    }

    /** Resumes a paused agent. */
    public void resume() {
        local.process().resume();
    }

    /**
     * Kills the agent if it runs, starts it again with the same ports and data, and waits until it
     * is ready.
     */
    public void restart() {
        local.relaunch();
        local.awaitReady();
    }

    /**
     * Restarts like {@link #restart} without waiting, for a server that needs others to become
     * ready.
     */
    public void relaunch() {
        local.relaunch();
    }

    /** Waits until sessions can be created through the agent, for at most 30 s. */
    public void awaitReady() {
        local.awaitReady();
    }

    ConsulApi api() {
        return local.api();
    }

    boolean answering() {
        return local.process().answering();
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
        if (token != null) {
            builder.environment().put("CONSUL_HTTP_TOKEN", token);
        }
        return builder;
    }

    /** Kills the agent and removes its files. Closing twice is harmless. */
    @Override
    public void close() {
        local.close();
    }

    @Override
    public String toString() {
        return "ConsulAgent[" + address() + "]";
    }
}
