package io.flockgate.gateway.transcript;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.http.ApiDocument;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;

/** Plays transcripts concurrently, each against its own server. */
final class Plays implements AutoCloseable {
    private final ExecutorService players;
    private final Supplier<List<String>> storage;

    /**
     * @param atOnce the maximum number of concurrent transcripts; they mostly wait for each other
     *     or for a lease, so it may exceed the number of cores
     * @param storage the flags that choose a server's storage, requested again for each
     */
    Plays(int atOnce, Supplier<List<String>> storage) {
        // Platform threads: virtual ones that load the same classes can wait for each other forever.
        this.players = Executors.newFixedThreadPool(atOnce);
        this.storage = storage;
    }

    /**
     * Starts playing; each test waits for its transcript. Every answer must be one that the OpenAPI
     * document allows.
     */
    List<DynamicTest> of(List<Transcript> transcripts) throws IOException {
        ApiDocument document = ApiDocument.published();
        List<DynamicTest> tests = new ArrayList<>();
        for (Transcript transcript : transcripts) {
            Future<?> played = players.submit(() -> {
                play(transcript, document);
                return null;
            });
            // Without a source, because Surefire 3.5 drops the outcome of a dynamic test that names
            // one.
            tests.add(DynamicTest.dynamicTest(transcript.name(), () -> outcome(played)));
        }
        return tests;
    }

    private void play(Transcript transcript, ApiDocument document) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(storage.get());
        all.addAll(transcript.flags());
        String[] flags = all.toArray(String[]::new);
        try (TestGateway gateway = transcript.http() ? TestGateway.startWithHttp(flags) : TestGateway.start(flags);
                Player player = new Player(
                        gateway.port(),
                        gateway.httpPort(),
                        () -> Probe.roundTrip(gateway.port()),
                        Polling.PATIENCE,
                        document::check)) {
            player.play(transcript);
        }
    }

    private static void outcome(Future<?> played) throws Throwable {
        try {
            played.get();
        } catch (ExecutionException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public void close() {
        players.shutdownNow();
    }
}
