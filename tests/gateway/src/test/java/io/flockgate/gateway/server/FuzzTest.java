package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A hundred thousand frames, good, bad and mutated: answers and an end each time, and the server is
 * none the worse for it. The same seed gives the same frames. LineDecoderPropertyTest shows which
 * frames these are.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FuzzTest {
    private static final int FRAMES = 100_000;
    private static final int CONNECTIONS = 8;
    private static final int FRAMES_OF_CONNECTION = 40;
    private static final long SEED = 20_261_121;
    private static final long HEAP_MARGIN = 6_000_000;

    private static final String[] COMMANDS = {"l", "r", "n", "e", "w", "sl", "sr", "sn", "se", "sw"};
    private static final String BYTES =
            "\u0000\t\u000b\f\r\n \u0001\u007f\u0080\u0085\u00a0\u00c2\u00e2\u00ff-+01_xlrnesw\"\\";

    private static final Predicate<String> REPLY = Pattern.compile(
                    "(?s)ok.*|acquired [0-9a-f]{32} \\d+|queued|timeout|error|error_[a-z_]+")
            .asMatchPredicate();

    @Test
    void framesAreAnsweredUntilTheEndAndMemoryStaysFlat() throws Exception {
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
                Random random = new Random(SEED + firstSeed + i);
                running.add(threads.submit(() -> {
                    throwAt(server, frames / CONNECTIONS, random);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private static void throwAt(GatewayProcess server, int frames, Random random) throws IOException {
        String token = "0".repeat(32);
        for (int done = 0; done < frames; done += FRAMES_OF_CONNECTION) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < FRAMES_OF_CONNECTION; i++) {
                text.append(frame(token, random));
            }
            try (LineClient client = server.client()) {
                // Until a known command, the server checks for other protocols.
                assertThat(client.ping()).isEqualTo("ok");
                send(client, text.toString(), random);
                List<String> replies = client.rest().lines().toList();
                assertThat(replies).as(text.toString()).isNotEmpty().allMatch(REPLY);
                token = replies.stream()
                        .filter(reply -> reply.matches("(ok|acquired) [0-9a-f]{32} \\d+"))
                        .map(reply -> reply.split(" ", -1)[1])
                        .findFirst()
                        .orElse(token);
            }
        }
    }

    private static String frame(String token, Random random) {
        return switch (random.nextInt(100)) {
            case 0, 1, 2, 3, 4 -> noise(random.nextInt(120), random) + "\n";
            case 5, 6 -> LineClient.frame("auth", "", "x".repeat(400));
            case 7 -> LineClient.frame("stats", noise(3, random).replace("\n", ""), "");
            case 8 -> random.nextInt(4) == 0 ? "l\n" + "k".repeat(257) + "\n0\n" : LineClient.frame("ping", "", "");
            default -> random.nextInt(3) == 0 ? mutated(good(token, random), random) : good(token, random);
        };
    }

    private static String good(String token, Random random) {
        String command = COMMANDS[random.nextInt(COMMANDS.length)];
        String key = "k" + Integer.toString(random.nextInt(5_000), 36);
        String lease = random.nextBoolean() ? " 11" : "";
        return LineClient.frame(
                command,
                key,
                switch (command) {
                    case "l" -> "0" + lease;
                    case "sl" -> "0 11" + lease;
                    case "e" -> lease;
                    case "se" -> "11" + lease;
                    case "w", "sw" -> "0";
                    case "n", "sn" -> token + lease;
                    default -> token;
                });
    }

    private static String mutated(String frame, Random random) {
        StringBuilder text = new StringBuilder(frame);
        for (int n = 1 + random.nextInt(2); n > 0; n--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.setCharAt(at, noise(1, random).charAt(0));
                case 2 -> text.insert(at, noise(1 + random.nextInt(3), random));
                default -> text.insert(at, text.substring(at));
            }
        }
        return text.toString();
    }

    private static String noise(int length, Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(BYTES.charAt(random.nextInt(BYTES.length())));
        }
        return text.toString();
    }

    /**
     * Sends the text in pieces, and its end. A server that has closed the connection after an error
     * may refuse the rest.
     */
    private static void send(LineClient client, String text, Random random) {
        try {
            for (int from = 0, to; from < text.length(); from = to) {
                int most = random.nextInt(4) == 0 ? 7 : 3000;
                to = Math.min(text.length(), from + 1 + random.nextInt(most));
                client.send(text.substring(from, to));
            }
            client.halfClose();
        } catch (IOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
    }
}
