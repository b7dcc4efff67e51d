package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every transcript of the protocol documents, each played against a server of its own. */
class TranscriptTest {
    /** They mostly wait for each other or for a lease, so more of them than cores run at once. */
    private final Semaphore running = new Semaphore(8);

    private final ExecutorService players = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        players.shutdownNow();
    }

    @TestFactory
    List<DynamicTest> theServerDoesWhatTheTranscriptShows() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Transcript transcript : TranscriptFiles.all()) {
            Future<?> played = players.submit(() -> {
                play(transcript);
                return null;
            });
            // Without a source: Surefire 3.5 drops the outcome of a dynamic test that names one.
            tests.add(DynamicTest.dynamicTest(transcript.name(), () -> outcome(played)));
        }
        return tests;
    }

    @Test
    void everyTranscriptHasANameOfItsOwn() throws IOException {
        assertThat(TranscriptFiles.all()).extracting(Transcript::name).doesNotHaveDuplicates();
    }

    private void play(Transcript transcript) throws IOException, InterruptedException {
        running.acquire();
        String[] flags = transcript.flags().toArray(String[]::new);
        try (TestGateway gateway = transcript.http() ? TestGateway.startWithHttp(flags) : TestGateway.start(flags);
                Player player = new Player(gateway.port(), gateway.httpPort())) {
            player.play(transcript);
        } finally {
            running.release();
        }
    }

    private static void outcome(Future<?> played) throws Throwable {
        try {
            played.get();
        } catch (ExecutionException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
