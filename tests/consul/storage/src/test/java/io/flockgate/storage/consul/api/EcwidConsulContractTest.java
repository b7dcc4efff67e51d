package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.testsupport.HttpCall;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul itself, through Ecwid's client. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("consul")
class EcwidConsulContractTest extends ConsulContract {
    private static ConsulAgent agent;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start(AgentOptions.plain().withConfig("{\"session_ttl_min\": \"1s\"}"));
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    @Override
    ConsulApi connect() {
        return client(agent);
    }

    static EcwidConsulApi client(ConsulAgent agent) {
        return new EcwidConsulApi(
                new SystemEnvironment(), TestOptions.at(agent.address().toString()));
    }

    @Override
    long raftIndex() {
        return agent.raftIndex();
    }

    /** The stand-in knows no lock delays, because gateways make sessions without one. */
    @Test
    void aLockDelayIsAConflict() {
        String made = put("/v1/session/create", "{\"LockDelay\": \"30s\", \"NodeChecks\": []}");
        String id = made.replaceAll("(?s).*\"ID\":\\s*\"([^\"]+)\".*", "$1");
        assertThat(put("/v1/kv/" + base + "k?acquire=" + id, "x").strip()).isEqualTo("true");
        assertThat(put("/v1/session/destroy/" + id, "").strip()).isEqualTo("true");

        assertThat(conflict(new KvOp.Lock(base + "k", 0, bytes("x"), session())))
                .singleElement()
                .satisfies(obstacle -> assertThat(obstacle.isLockDelay()).isTrue());
    }

    private static String put(String path, String body) {
        return HttpCall.ask(agent.address(), "PUT", path, body);
    }
}
