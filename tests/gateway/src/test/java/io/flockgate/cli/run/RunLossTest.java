package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code flockgate run} when the lease is lost. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunLossTest {
    /** Writes its own process id and that of a child; both ignore TERM. */
    private static final String STUBBORN = """
            trap '' TERM
            (while :; do sleep 0.05; done) &
            echo $! >>"$0"; echo $$ >>"$0"; echo ready >>"$0"
            while :; do sleep 0.05; done
            """;

    /** Exits with status 3 on TERM, and with status 5 once a file exists. */
    private static final String OBEDIENT = """
            trap "exit 3" TERM
            echo $$ >>"$0"; echo ready >>"$0"
            while [ ! -e "$1" ]; do sleep 0.05; done
            exit 5
            """;

    private TestGateway gateway;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        gateway = TestGateway.start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private CompletableFuture<Integer> run(int port, PrintStream output, String... args) {
        List<String> all = Stream.concat(Stream.of("--server=127.0.0.1:" + port), Stream.of(args))
                .toList();
        return CompletableFuture.supplyAsync(
                () -> RunCommand.run(all, Map.of(), output, output, SignalInbox::closed), Thread::startVirtualThread);
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    @Test
    void everythingHasEndedBeforeAnybodyElseCanHaveTheKey() throws Exception {
        PrintStream output = new PrintStream(err, true, UTF_8);
        Path pids = directory.resolve("pids");
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LineClient next = gateway.client()) {
            // All must have ended within the margin, which is 1.5 s.
            CompletableFuture<Integer> status = run(
                    link.port(),
                    output,
                    "--key=cut",
                    "--lease=15s",
                    "--grace=1s",
                    "--",
                    "sh",
                    "-c",
                    STUBBORN,
                    pids.toString());
            List<String> lines = Waits.untilContains(pids, "ready");
            CompletableFuture<String> granted = next.askLater("l", "cut", "60 60");
            link.blackHole();

            assertThat(granted.get()).startsWith("ok ");

            assertThat(Waits.hasEnded(Long.parseLong(lines.get(0)))).isTrue();
            assertThat(Waits.hasEnded(Long.parseLong(lines.get(1)))).isTrue();
            assertThat(status.get()).isEqualTo(74);
        }
        assertThat(err.toString(UTF_8)).contains("flockgate run: the lease of cut is lost: ");
    }

    @Test
    void aGrantThatTheServerEndsEndsTheCommand() throws Exception {
        PrintStream output = new PrintStream(err, true, UTF_8);
        Path pids = directory.resolve("pids");
        Path ignoring = directory.resolve("ignoring");
        Path terminated = directory.resolve("terminated");
        String end = file("end");
        List<CompletableFuture<Integer>> statuses = List.of(
                run(
                        gateway.port(),
                        output,
                        "--key=a",
                        "--lease=5s",
                        "--lost-status=9",
                        "--",
                        "sh",
                        "-c",
                        OBEDIENT,
                        pids.toString(),
                        end),
                run(
                        gateway.port(),
                        output,
                        "--key=b",
                        "--lease=5s",
                        "--on-loss=ignore",
                        "--",
                        "sh",
                        "-c",
                        OBEDIENT,
                        ignoring.toString(),
                        end),
                run(
                        gateway.port(),
                        output,
                        "--key=c",
                        "--lease=5s",
                        "--on-loss=term",
                        "--",
                        "sh",
                        "-c",
                        OBEDIENT,
                        terminated.toString(),
                        end));
        for (Path each : List.of(pids, ignoring, terminated)) {
            Waits.untilContains(each, "ready");
        }
        gateway.close();

        assertThat(statuses.get(0).get()).isEqualTo(9);
        assertThat(statuses.get(2).get()).isEqualTo(74);
        assertThat(statuses.get(1)).isNotDone();
        Files.createFile(Path.of(end));
        assertThat(statuses.get(1).get()).isEqualTo(5);
    }
}
