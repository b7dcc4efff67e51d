package io.flockgate.gateway.transcript;

import io.flockgate.consul.testbed.ConsulAgent;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The same transcripts over a real Consul, each on its own keys. They run concurrently with other
 * classes, because they mostly wait.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulTranscriptTest {
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
        return plays.of(TranscriptFiles.all());
    }
}
