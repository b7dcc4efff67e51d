package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConsulAgentTest {
    @Test
    void each_write_raises_the_Raft_index_by_one() throws IOException {
        ConsulAgent agent = ConsulAgent.shared();
        ConsulApi api = new ConsulApi(agent.address(), null);
        long before = agent.raftIndex();
        for (int i = 0; i < 5; i++) {
            assertThat(api.put("/v1/kv/agent-test/" + i, "x").body()).startsWith("true");
        }
        assertThat(agent.raftIndex() - before).isEqualTo(5);
    }

    @Test
    void a_closed_agent_leaves_nothing() {
        ConsulAgent agent = ConsulAgent.start();
        long pid = agent.pid();
        agent.close();
        agent.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    void the_command_line_speaks_to_the_agent() {
        ConsulAgent agent = ConsulAgent.shared();
        assertThat(agent.cli("kv", "put", "cli-test", "y").exitCode()).isZero();
        assertThat(agent.cli("kv", "get", "cli-test")).isEqualTo(new CliResult(0, "y\n"));
        assertThat(agent.cli("kv", "get", "cli-test-none").exitCode()).isEqualTo(1);
    }
}
