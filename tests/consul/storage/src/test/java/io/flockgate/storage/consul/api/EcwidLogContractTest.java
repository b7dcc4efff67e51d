package io.flockgate.storage.consul.api;

import io.flockgate.consul.testbed.ConsulAgent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A Consul that no other test uses. */
@Tag("consul")
class EcwidLogContractTest extends LogContract {
    private static ConsulAgent agent;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start();
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    @Override
    ConsulApi connect() {
        return EcwidConsulContractTest.client(agent);
    }

    @Override
    long raftIndex() {
        return agent.raftIndex();
    }
}
