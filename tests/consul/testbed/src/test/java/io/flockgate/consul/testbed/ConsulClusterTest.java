package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("one cluster")
class ConsulClusterTest {
    private static ConsulCluster cluster;

    @BeforeAll
    static void start() {
        cluster = ConsulCluster.start(3);
    }

    @AfterAll
    static void close() {
        List<Long> pids = cluster.servers().stream().map(ConsulAgent::pid).toList();
        cluster.close();
        assertThat(pids)
                .hasSize(3)
                .allSatisfy(pid -> assertThat(ProcessHandle.of(pid)).isEmpty());
    }

    @BeforeEach
    void allServersRun() {
        for (ConsulAgent server : cluster.servers()) {
            if (!server.running()) {
                server.restart();
            }
        }
        assertThat(cluster.awaitLeader()).isIn(cluster.servers());
    }

    @Test
    void oneLeadsAndTwoFollow() {
        assertThat(cluster.followers()).hasSize(2).doesNotContain(cluster.leader());
        assertThat(cluster.addresses()).doesNotHaveDuplicates().hasSize(3);
    }

    @Test
    void aWriteThroughAFollowerIsOneEntryOfTheLeader() throws IOException {
        // The leader's own entry of each minute can fall into one of two rounds.
        assertThat(Math.min(entriesOfAWrite("one"), entriesOfAWrite("two"))).isEqualTo(1);
    }

    private static long entriesOfAWrite(String key) throws IOException {
        long before = cluster.raftIndex();
        put(cluster.followers().getFirst(), key);
        return cluster.raftIndex() - before;
    }

    @Test
    void anotherLeadsAfterAKillAndDataOutlivesIt() throws IOException {
        ConsulAgent killed = cluster.leader();
        put(killed, "kept");
        killed.kill();
        assertThat(killed.running()).isFalse();
        assertThat(cluster.awaitLeader()).isNotSameAs(killed);
        assertThat(cluster.followers()).hasSize(1);
        killed.restart();
        assertThat(killed.cli("kv", "get", "kept").output()).isEqualTo("value\n");
    }

    @Test
    void anotherLeadsWhileTheLeaderIsPaused() {
        ConsulAgent paused = cluster.leader();
        paused.pause();
        try {
            assertThat(cluster.awaitLeader()).isNotSameAs(paused);
            assertThat(paused.running()).isTrue();
        } finally {
            paused.resume();
        }
        paused.awaitReady();
    }

    @Test
    @Timeout(60)
    void nobodyLeadsUntilTheQuorumIsBack() {
        List<ConsulAgent> followers = cluster.followers();
        followers.forEach(ConsulAgent::kill);
        ConsulAgent alone = cluster.servers().stream()
                .filter(ConsulAgent::running)
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(cluster::leader).isInstanceOf(IllegalStateException.class);
        while (!alone.api().leader().isEmpty()) {
            Pause.shortly();
        }
        assertThat(alone.api().makesSessions()).isFalse();
        followers.forEach(ConsulAgent::relaunch);
        followers.forEach(ConsulAgent::awaitReady);
        alone.awaitReady();
        assertThat(cluster.awaitLeader()).isIn(cluster.servers());
    }

    @Test
    @Timeout(60)
    void aClientAgentJoinsLeavesAndJoinsAgain() {
        try (ConsulAgent client = cluster.client(AgentOptions.plain().withConfig("{\"leave_on_terminate\": true}"))) {
            client.terminate();
            client.awaitEnd();
            assertThat(cluster.awaitLeader().cli("members").output()).contains("left");
            client.relaunch();
            client.awaitReady();
            assertThat(client.running()).isTrue();
        }
    }

    private static void put(ConsulAgent server, String key) throws IOException {
        assertThat(new ConsulApi(server.address(), null)
                        .put("/v1/kv/" + key, "value")
                        .body())
                .startsWith("true");
    }
}
