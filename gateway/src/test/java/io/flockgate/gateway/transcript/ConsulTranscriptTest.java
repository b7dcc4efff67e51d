package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same transcripts, over a real Consul, each on keys of its own; beside other classes, as they mostly wait. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulTranscriptTest {
    /** The transcripts that do not hold over Consul, and why. */
    private static final Map<String, String> NOT_OVER_CONSUL = Map.of(
            "half-close.txt",
            "A claim takes as long as a write of Consul's. A client that closes its sending side meanwhile has gone before"
                    + " the answer comes, and the slot is given back.");

    private final Plays plays = new Plays(12, ConsulTranscriptTest::storage);

    @AfterEach
    void stop() {
        plays.close();
    }

    private static List<String> storage() {
        return List.of(
                "--storage=consul",
                "--consul-addr=" + ConsulAgent.shared().address(),
                "--consul-prefix=transcripts/" + UUID.randomUUID() + "/");
    }

    @TestFactory
    List<DynamicTest> theServerDoesOverConsulWhatTheTranscriptShows() throws IOException {
        return plays.of(TranscriptFiles.all().stream()
                .filter(each -> !NOT_OVER_CONSUL.containsKey(each.name()))
                .toList());
    }

    @Test
    void everyTranscriptThatIsLeftOutExists() throws IOException {
        assertThat(TranscriptFiles.all()).extracting(Transcript::name).containsAll(NOT_OVER_CONSUL.keySet());
    }
}
