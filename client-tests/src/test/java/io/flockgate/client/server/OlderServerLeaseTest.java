package io.flockgate.client.server;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.tck.LeaseContract;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract with a server that knows no detached grants, as dflockd does not. */
@Execution(ExecutionMode.CONCURRENT)
class OlderServerLeaseTest extends LeaseContract {
    private static Wire wire;

    @BeforeAll
    static void start() throws Exception {
        wire = Wire.toOlder(SharedGateway.get().port());
    }

    @AfterAll
    static void stop() {
        wire.close();
    }

    @Override
    protected LeaseBackend newBackend() {
        return Flockgate.backend(ConnectOptions.defaults(), List.of(wire.uri()));
    }

    /** Long, so that a slow machine answers in the quarter of it that a request has. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(6);
    }
}
