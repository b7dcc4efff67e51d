package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("one agent")
class ConsulAgentTest {
    @Test
    void aReadyAgentHasWrittenWhatItWritesOfItsOwnAccord() throws IOException {
        try (ConsulAgent agent = ConsulAgent.start()) {
            assertThat(agent.api().get("/v1/catalog/nodes").body()).containsPattern("\"TaggedAddresses\":\\s*\\{");
            assertThat(agent.api().get("/v1/session/list").body().strip()).isEqualTo("[]");
        }
    }

    @Test
    void anAgentThatDoesNotStartSaysWhy() {
        AgentOptions wrong = AgentOptions.plain().withConfig("{\"no_such_setting\": 1}");
        assertThatThrownBy(() -> ConsulAgent.start(wrong).close())
                .isInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("no_such_setting");
    }
}
