package io.flockgate.cluster;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulCluster;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The agents, gateways and clients of one test. They end with the test, last started first; after a
 * failure the bed shows the gateways' logs. Used as an instance field of a test class, registered
 * as an extension.
 */
public final class ClusterBed implements AfterEachCallback {
    /** Leases, sessions and elections may take most of it. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final List<GatewayProcess> gateways = new ArrayList<>();

    private <T extends AutoCloseable> T add(T closeable) {
        started.push(closeable);
        return closeable;
    }

    /** A Consul agent for this test alone. */
    public ConsulAgent consul() {
        return add(ConsulAgent.start());
    }

    /** A Consul agent for this test alone that keeps its data when it is killed. */
    public ConsulAgent durableConsul() {
        return add(ConsulAgent.start(AgentOptions.plain().onDisk()));
    }

    /** Three Consul servers that stay members when they are dead. */
    public ConsulCluster cluster(String config) {
        return add(ConsulCluster.start(3, AgentOptions.plain().withConfig(config)));
    }

    /**
     * A gateway of the build that listens for HTTP too and waits a second for its clients when it
     * is stopped.
     */
    public static GatewayLauncher launcher() {
        return GatewayLauncher.ofJar("--shutdown-timeout=1").withHttp();
    }

    /** A gateway whose storage is the Consul at this address. */
    public GatewayProcess gateway(URI consul, String... flags) throws InterruptedException {
        return shown(launcher().onConsul(consul).flags(flags).start());
    }

    /** A gateway from the test's own launcher. */
    public GatewayProcess gateway(GatewayLauncher launcher) throws InterruptedException {
        return shown(launcher.start());
    }

    /** A gateway with these flags only. */
    public GatewayProcess gateway(String... flags) throws InterruptedException {
        return shown(launcher().flags(flags).start());
    }

    private GatewayProcess shown(GatewayProcess gateway) {
        gateways.add(gateway);
        return add(gateway);
    }

    public LineClient client(GatewayProcess gateway) throws IOException {
        return add(gateway.client().patience(PATIENCE));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (context.getExecutionException().isPresent()) {
            gateways.forEach(gateway -> System.out.println(context.getDisplayName() + ": " + gateway.logTail()));
        }
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
