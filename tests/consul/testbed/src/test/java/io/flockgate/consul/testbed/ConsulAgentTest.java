package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
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
    void eachWriteRaisesTheRaftIndexByOne() throws IOException {
        // The leader's own entry of each minute can fall into one of two rounds.
        assertThat(Math.min(entriesOfFiveWrites(), entriesOfFiveWrites())).isEqualTo(5);
    }

    private static long entriesOfFiveWrites() throws IOException {
        ConsulAgent agent = ConsulAgent.shared();
        long before = agent.raftIndex();
        for (int i = 0; i < 5; i++) {
            put(agent, "counted/" + i + "/" + before);
        }
        return agent.raftIndex() - before;
    }

    @Test
    void aReadyAgentHasWrittenWhatItWritesOfItsOwnAccord() throws IOException {
        try (ConsulAgent agent = ConsulAgent.start()) {
            assertThat(agent.api().get("/v1/catalog/nodes").body()).containsPattern("\"TaggedAddresses\":\\s*\\{");
            assertThat(agent.api().get("/v1/session/list").body().strip()).isEqualTo("[]");
        }
    }

    @Test
    void theSharedAgentIsOne() {
        assertThat(ConsulAgent.shared()).isSameAs(ConsulAgent.shared());
    }

    @Test
    void aClosedAgentLeavesNeitherProcessNorFiles() {
        ConsulAgent agent = ConsulAgent.start();
        ProcessHandle process = ProcessHandle.of(agent.pid()).orElseThrow();
        List<ProcessHandle> helpers = process.children().toList();
        assertThat(helpers).isNotEmpty();
        agent.close();
        agent.close();
        assertThat(agent.running()).isFalse();
        Stream.concat(Stream.of(process), helpers.stream())
                .forEach(each -> assertThat(each.onExit()).succeedsWithin(Duration.ofSeconds(10)));
        assertThat(agent.files()).doesNotExist();
    }

    @Test
    void theCommandLineSpeaksToTheAgent() {
        ConsulAgent agent = ConsulAgent.shared();
        assertThat(agent.cli("kv", "put", "cli-test", "y").exitCode()).isZero();
        assertThat(agent.cli("kv", "get", "cli-test")).isEqualTo(new CliResult(0, "y\n"));
        assertThat(agent.cli("kv", "get", "cli-test-none").exitCode()).isEqualTo(1);
    }

    @Test
    void aRestartKeepsAddressAndDataOfAnAgentOnDisk() throws IOException {
        try (ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().onDisk())) {
            put(agent, "kept");
            String address = agent.address().toString();
            agent.kill();
            assertThat(agent.running()).isFalse();
            assertThatThrownBy(agent::raftIndex).isInstanceOf(UncheckedIOException.class);
            agent.restart();
            assertThat(agent.address()).hasToString(address);
            assertThat(agent.cli("kv", "get", "kept").output()).isEqualTo("value\n");
        }
    }

    @Test
    void aRestartEmptiesAnAgentInMemory() throws IOException {
        try (ConsulAgent agent = ConsulAgent.start()) {
            put(agent, "lost");
            agent.restart();
            assertThat(agent.cli("kv", "get", "lost").exitCode()).isEqualTo(1);
        }
    }

    @Test
    void aPausedAgentDoesNotAnswerAndAResumedOneDoes() throws IOException {
        try (ConsulAgent agent = ConsulAgent.start()) {
            agent.pause();
            assertThatThrownBy(() -> put(agent, "late")).isInstanceOf(HttpTimeoutException.class);
            agent.resume();
            put(agent, "soon");
        }
    }

    @Test
    void withACLsOnlyTheTokenOpens() throws IOException {
        String config = """
                {"acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": "not-secret"}}}
                """;
        AgentOptions options = AgentOptions.plain().withConfig(config);
        try (ConsulAgent agent = ConsulAgent.start(options.withToken("not-secret"))) {
            assertThat(agent.raftIndex()).isPositive();
            assertThat(agent.cli("kv", "put", "k", "v").exitCode()).isZero();
            assertThat(new ConsulApi(agent.address(), null).put("/v1/kv/k", "w").status())
                    .isEqualTo(403);
        }
        try (ConsulAgent agent = ConsulAgent.start(options)) {
            assertThat(agent.cli("kv", "put", "k", "v").output()).contains("Permission denied");
        }
        assertThat(options.withToken("not-said").toString()).doesNotContain("not-said");
    }

    @Test
    void aSettingOfTheCallerReachesConsul() throws IOException {
        String session = "{\"TTL\": \"1s\"}";
        assertThat(ConsulAgent.shared().api().put("/v1/session/create", session).status())
                .isNotEqualTo(200);
        try (ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().withConfig("{\"session_ttl_min\": \"1s\"}"))) {
            assertThat(agent.api().put("/v1/session/create", session).status()).isEqualTo(200);
        }
    }

    @Test
    void anAgentThatDoesNotStartSaysWhy() {
        AgentOptions wrong = AgentOptions.plain().withConfig("{\"no_such_setting\": 1}");
        assertThatThrownBy(() -> ConsulAgent.start(wrong).close())
                .isInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("no_such_setting");
    }

    private static void put(ConsulAgent agent, String key) throws IOException {
        assertThat(agent.api().put("/v1/kv/" + key, "value").body()).startsWith("true");
    }
}
