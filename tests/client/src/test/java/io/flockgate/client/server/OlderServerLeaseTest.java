package io.flockgate.client.server;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.tck.LeaseContract;
import io.flockgate.testsupport.FaultyLink;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract with a server that, like dflockd, does not know detached grants. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class OlderServerLeaseTest extends LeaseContract {
    private static FaultyLink link;

    @BeforeAll
    static void start() throws Exception {
        link = SharedGateway.older(SharedGateway.get().port());
    }

    @AfterAll
    static void stop() {
        link.close();
    }

    @Override
    protected LeaseBackend newBackend() {
        return Flockgate.backend(ConnectOptions.defaults(), List.of(link.uri("flockgate")));
    }

    /** Long, so that even a slow machine answers within the request timeout, a third of it. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(6);
    }
}
