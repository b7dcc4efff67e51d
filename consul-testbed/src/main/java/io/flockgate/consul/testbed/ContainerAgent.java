package io.flockgate.consul.testbed;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.consul.ConsulContainer;
import org.testcontainers.utility.DockerImageName;

/** A development agent in a container. Testcontainers removes it when this JVM has ended, however it ended. */
final class ContainerAgent implements AgentHost {
    private static final DockerImageName IMAGE = DockerImageName.parse("hashicorp/consul:1.21");
    private static final int HTTP_PORT = 8500;

    private final ConsulContainer container;
    private final ConsulApi api;

    private ContainerAgent(ConsulContainer container) {
        this.container = container;
        this.api = new ConsulApi(address(), null);
    }

    /** Whether a Docker engine answers. Asks only where something points to one: asking in vain takes seconds. */
    static boolean possible() {
        return configured(System.getenv(), Path.of(System.getProperty("user.home", "/")), Path.of("/"))
                && DockerClientFactory.instance().isDockerAvailable();
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

    @SuppressWarnings("resource") // the agent closes it
    static ContainerAgent start() {
        // Coordinates off: they are Raft writes that nobody asked for.
        ConsulContainer container = new ConsulContainer(IMAGE)
                .withEnv("CONSUL_LOCAL_CONFIG", "{\"disable_update_check\": true, \"disable_coordinates\": true}");
        try {
            container.start();
            ContainerAgent agent = new ContainerAgent(container);
            Ready.await(agent.api, container::isRunning, container::getLogs);
            return agent;
        } catch (RuntimeException e) {
            container.stop();
            throw new IllegalStateException("Docker answers, but does not run " + IMAGE + "\n" + ConsulBinary.WAYS, e);
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
