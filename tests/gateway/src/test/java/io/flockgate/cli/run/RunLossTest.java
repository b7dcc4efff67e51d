package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code flockgate run} when the lease is lost. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunLossTest {
    /** Writes the process id of a child and its own; both ignore TERM. */
    private static final String STUBBORN = """
            trap '' TERM
            (while :; do sleep 0.05; done) &
            echo $! >>"$0"; echo $$ >>"$0"; echo ready >>"$0"
            while :; do sleep 0.05; done
            """;

    /** Writes the process id of one that loses its parent. */
    private static final String ORPHAN = "(sleep 600 & echo $! >>\"$0\")\n";

    /** Writes its own; exits with status 3 on TERM, and with status 5 once a file exists. */
    private static final String OBEDIENT = """
            trap "exit 3" TERM
            echo $$ >>"$0"; echo ready >>"$0"
            while [ ! -e "$1" ]; do sleep 0.05; done
            exit 5
            """;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream output = new PrintStream(err, true, UTF_8);

    @TempDir
    Path directory;

    /** A command, and the file to which it writes. */
    private record Started(CompletableFuture<Integer> status, Path file) {
        List<Long> pids() throws IOException {
            return Waits.untilContains(file, "ready").stream()
                    .filter(line -> !line.equals("ready"))
                    .map(Long::valueOf)
                    .toList();
        }
    }

    private Started run(PrintStream errors, int port, String options, String script) {
        Path file = directory.resolve("pids" + options.hashCode());
        List<String> words = new ArrayList<>(List.of("--server=127.0.0.1:" + port, "--wait=60s"));
        words.addAll(List.of(options.split(" ")));
        words.addAll(List.of("--", "sh", "-c", script, file.toString(), end().toString()));
        return new Started(
                CompletableFuture.supplyAsync(
                        () -> RunCommand.run(new CommandCall(words, Map.of(), errors, errors), SignalInbox::new),
                        Thread.ofPlatform().daemon()::start),
                file);
    }

    private Path end() {
        return directory.resolve("end");
    }

    @Test
    void everythingHasEndedBeforeAnybodyElseCanHaveTheKey() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                FaultyLink link = FaultyLink.to(gateway.port());
                LineClient next = gateway.client()) {
            // All must have ended within the margin, which is 1.5 s.
            Started command = run(output, link.port(), "--key=cut --lease=15s --grace=1s", STUBBORN);
            List<Long> pids = command.pids();
            CompletableFuture<String> granted = next.askLater("l", "cut", "60 60");
            link.blackHole();

            assertThat(granted.get()).startsWith("ok ");

            assertThat(Waits.hasEnded(pids.get(0))).isTrue();
            assertThat(Waits.hasEnded(pids.get(1))).isTrue();
            assertThat(command.status().get()).isEqualTo(74);
        }
        assertThat(err.toString(UTF_8)).contains("flockgate run: the lease of cut is lost: ");
    }

    @Test
    void aGrantThatTheServerEndsEndsTheCommandAndProcessesWithoutAParent() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                PipedInputStream unread = new PipedInputStream(1)) {
            PrintStream full = new PrintStream(new PipedOutputStream(unread), true, UTF_8);
            int port = gateway.port();
            Started killed = run(output, port, "--key=a --lease=5s --lost-status=9", ORPHAN + OBEDIENT);
            Started continuing = run(output, port, "--key=b --lease=5s --on-loss=ignore", OBEDIENT);
            Started terminated = run(output, port, "--key=c --lease=5s --on-loss=term", OBEDIENT);
            Started blocked = run(full, port, "--key=d --lease=5s", STUBBORN);
            long orphan = killed.pids().getFirst();
            assertThat(continuing.pids()).hasSize(1);
            List<Long> others = Stream.concat(terminated.pids().stream(), blocked.pids().stream())
                    .toList();
            gateway.close();

            assertThat(killed.status().get()).isEqualTo(9);
            assertThat(Waits.hasEnded(orphan)).isTrue();
            assertThat(terminated.status().get()).isEqualTo(74);
            for (long pid : others) {
                Waits.untilEnded(pid);
            }
            assertThat(continuing.status()).isNotDone();
            Files.createFile(end());
            assertThat(continuing.status().get()).isEqualTo(5);
            unread.close();
            assertThat(blocked.status().get()).isEqualTo(74);
        }
        assertThat(err.toString(UTF_8)).contains("flockgate run: the lease of a is lost: ");
    }
}
