package io.flockgate.consul.testbed;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.consul.ConsulContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A development agent in a container. Testcontainers removes it once this JVM has ended, however it
 * ended.
 */
final class ContainerAgent implements AgentHost {
    private static final DockerImageName IMAGE = DockerImageName.parse("hashicorp/consul:1.21");
    private static final int HTTP_PORT = 8500;

    /** The maximum wait for an engine, which might spend minutes on fetching an image. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ConsulContainer container;
    private final ConsulApi api;

    private ContainerAgent(ConsulContainer container) {
        this.container = container;
        this.api = new ConsulApi(address(), null);
    }

    /**
     * True when there is a sign of a Docker engine, because a request without one takes seconds.
     */
    static boolean possible() {
        return configured(System.getenv(), Path.of(System.getProperty("user.home", "/")), Path.of("/"));
    }

    static boolean configured(Map<String, String> environment, Path home, Path root) {
        @Nullable String runtime = environment.get("XDG_RUNTIME_DIR");
        return environment.containsKey("DOCKER_HOST")
                || Stream.of(
                                root.resolve("var/run/docker.sock"),
                                home.resolve(".docker/run/docker.sock"),
                                home.resolve(".testcontainers.properties"),
                                Path.of(runtime == null ? "/run" : runtime, "docker.sock"))
                        .anyMatch(Files::exists);
    }

    /**
     * @throws IllegalStateException if no engine answers, or none has started the agent within a
     *     minute
     */
    static ContainerAgent start() {
        FutureTask<ContainerAgent> starting = new FutureTask<>(ContainerAgent::startPatiently);
        Thread.ofPlatform().daemon().name("consul-container").start(starting);
        try {
            return starting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw inVain(e.getCause());
        } catch (TimeoutException e) {
            starting.cancel(true);
            throw inVain(e);
        } catch (InterruptedException e) {
            starting.cancel(true);
            Thread.currentThread().interrupt();
            throw inVain(e);
        }
    }

    private static IllegalStateException inVain(@Nullable Throwable cause) {
        return new IllegalStateException("Docker does not run " + IMAGE + "\n" + ConsulBinary.WAYS, cause);
    }

    @SuppressWarnings("resource") // the agent closes it
    private static ContainerAgent startPatiently() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            throw new IllegalStateException("no Docker engine answers");
        }
        // Without coordinates, which Consul would write to Raft by itself.
        ConsulContainer container = new ConsulContainer(IMAGE)
                .withEnv("CONSUL_LOCAL_CONFIG", "{\"disable_update_check\": true, \"disable_coordinates\": true}");
        try {
            container.start();
            ContainerAgent agent = new ContainerAgent(container);
            Ready.await(agent.api, container::isRunning, container::getLogs);
            return agent;
        } catch (RuntimeException e) {
            container.stop();
            throw e;
        }
    }

    @Override
    public URI address() {
        return URI.create("http://" + container.getHost() + ":" + container.getMappedPort(HTTP_PORT));
    }

    @Override
    public ConsulApi api() {
        return api;
    }

    @Override
    public LocalAgent local() {
        throw new UnsupportedOperationException("the shared agent may run in a container: start one for this test");
    }

    @Override
    public void close() {
        container.stop();
    }
}
