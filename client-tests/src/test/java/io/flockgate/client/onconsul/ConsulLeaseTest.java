package io.flockgate.client.onconsul;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.tck.LeaseContract;
import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract over Consul, without a gateway. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulLeaseTest extends LeaseContract {
    private static final URI AGENT = SharedConsul.agent().address();

    @Override
    protected LeaseBackend newBackend() {
        return new ConsulBackend(SharedConsul.options(SharedConsul.uri(AGENT)).clientName("contract"));
    }

    @Override
    protected Duration ttl() {
        return SharedConsul.TTL;
    }

    @Override
    protected Duration serverDelay() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected boolean revoke(String name) {
        String entry = "/v1/kv/flockgate/" + name.replace("/", ",2f") + "/.lock";
        HttpCall.ask(AGENT, "DELETE", entry, "");
        return true;
    }
}
