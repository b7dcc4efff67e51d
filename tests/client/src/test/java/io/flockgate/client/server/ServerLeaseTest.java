package io.flockgate.client.server;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.tck.LeaseContract;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract over the line protocol, with a gateway that keeps detached grants. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ServerLeaseTest extends LeaseContract {
    @Override
    protected LeaseBackend newBackend() {
        return Flockgate.backend(
                ConnectOptions.defaults().clientName("contract"), List.of(SharedGateway.uri(SharedGateway.get())));
    }

    /** Long, so that even a slow machine answers within the request timeout, a third of it. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(6);
    }
}
