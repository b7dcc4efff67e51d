package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.Fuzz.Chunk;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A hundred thousand frames of all sorts: an answer or a close each time, and the server is none
 * the worse for it.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FuzzTest {
    private static final int FRAMES = 100_000;
    private static final int CONNECTIONS = 8;
    private static final int FRAMES_IN_CHUNK = 40;
    private static final long SEED = 20_261_121;
    private static final long HEAP_MARGIN = 6_000_000;

    @Test
    void everyFrameIsAnsweredOrClosedAndMemoryStaysFlat() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar(
                        "--event-loops=2", "--gc-interval=1", "--gc-max-idle=0", "--read-timeout=60")
                .javaOptions("-Xmx64m", JvmMemory.OPTION)
                .start()) {
            throwAt(server, FRAMES / 5, 0);
            long warm = JvmMemory.usedBytes(server);
            throwAt(server, FRAMES * 4 / 5, CONNECTIONS);
            assertThat(JvmMemory.usedBytes(server)).isLessThan(warm + HEAP_MARGIN);
            try (LineClient client = server.client()) {
                client.awaitStats("\"connections\":1,\"locks\":\\[],\"semaphores\":\\[],"
                        + "\"idle_locks\":\\[],\"idle_semaphores\":\\[]");
                client.release(client.lock("job"));
            }
            assertThat(server.stop()).isZero();
            String log = server.err();
            assertThat(log).doesNotContain("\tat ", "Exception", "ERROR");
            // Apart from two lines each for the start and the stop, only caps are logged.
            assertThat(log.lines().filter(line -> !line.contains("msg=\"a cap is reached")))
                    .hasSize(4);
        }
    }

    private static void throwAt(GatewayProcess server, int frames, int firstSeed) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                long seed = SEED + firstSeed + i;
                running.add(threads.submit(() -> {
                    throwAt(server, frames / CONNECTIONS, seed);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private static void throwAt(GatewayProcess server, int frames, long seed) throws IOException, InterruptedException {
        Fuzz fuzz = new Fuzz(seed);
        Random splits = new Random(~seed);
        LineClient client = introduced(server);
        for (int done = 0; done < frames; done += FRAMES_IN_CHUNK) {
            Chunk chunk = fuzz.next(FRAMES_IN_CHUNK);
            send(client, chunk.bytes(), splits);
            for (int i = 0; i < chunk.replies(); i++) {
                String reply = reply(client, chunk, seed, i);
                assertThat(reply).matches("ok.*|acquired .*|queued|timeout|error|error_[a-z_]+");
                fuzz.learn(reply);
            }
            if (chunk.ends()) {
                assertThat(client.rest()).isEmpty();
                client.close();
                client = introduced(server);
            }
        }
        client.close();
    }

    /**
     * A client that has sent a known command. Until then, the server checks for other protocols.
     */
    private static LineClient introduced(GatewayProcess server) throws IOException {
        LineClient client = server.client();
        assertThat(client.ping()).isEqualTo("ok");
        return client;
    }

    private static String reply(LineClient client, Chunk chunk, long seed, int number) throws IOException {
        try {
            return client.line();
        } catch (IOException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", no reply " + (number + 1) + " of " + chunk.replies() + " to\n"
                            + new String(chunk.bytes(), StandardCharsets.ISO_8859_1),
                    e);
        }
    }

    /**
     * Sends the bytes in pieces, one write each. A server that has closed the connection after an
     * error may refuse the rest.
     */
    private static void send(LineClient client, byte[] bytes, Random splits) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        try {
            for (int from = 0, to; from < text.length(); from = to) {
                int most = splits.nextInt(4) == 0 ? 7 : 3000;
                to = Math.min(text.length(), from + 1 + splits.nextInt(most));
                client.send(text.substring(from, to));
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
        }
    }
}
