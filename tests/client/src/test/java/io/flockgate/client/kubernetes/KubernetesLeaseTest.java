package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.tck.LeaseContract;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract over Lease objects of Kubernetes. */
@Execution(ExecutionMode.CONCURRENT)
class KubernetesLeaseTest extends LeaseContract {
    private static ApiServer server;

    @BeforeAll
    static void start() throws IOException {
        server = ApiServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected LeaseBackend newBackend() {
        return new KubernetesBackend(server.options());
    }

    /** Long, so that even a slow machine answers within the request timeout, a third of it. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(6);
    }

    /**
     * Another client counts the time of a dead holder from its own read of the last renewal, and
     * polls at intervals of a fraction of a second.
     */
    @Override
    protected Duration serverDelay() {
        return ttl().plusSeconds(1);
    }

    @Override
    protected long maxLimit() {
        return 1;
    }
}
