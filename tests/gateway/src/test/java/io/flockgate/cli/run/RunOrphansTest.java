package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code flockgate run} after a loss, in cases that are easily forgotten: processes without a
 * parent, and output that is not read.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunOrphansTest {
    private TestGateway gateway;

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

    private CompletableFuture<Integer> run(PrintStream err, String script, Path file) {
        List<String> args = List.of(
                "--server=127.0.0.1:" + gateway.port(),
                "--key=k",
                "--lease=5s",
                "--",
                "sh",
                "-c",
                script,
                file.toString());
        return CompletableFuture.supplyAsync(
                () -> RunCommand.run(args, Map.of(), err, err, SignalInbox::closed), Thread::startVirtualThread);
    }

    @Test
    void processesThatHaveLostTheirParentEndBeforeTheStatusComes() throws Exception {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Path pids = directory.resolve("pids");
        String script = "(sleep 600 & echo $! >>\"$0\"); echo ready >>\"$0\"; sleep 600";
        CompletableFuture<Integer> status = run(new PrintStream(err, true, UTF_8), script, pids);
        long orphan = Long.parseLong(Waits.untilContains(pids, "ready").getFirst());
        gateway.close();

        assertThat(status.get()).isEqualTo(74);

        assertThat(Waits.hasEnded(orphan)).isTrue();
        assertThat(err.toString(UTF_8)).contains("flockgate run: the lease of k is lost: ");
    }

    @Test
    void theCommandEndsThoughNobodyReadsTheNotice() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        OutputStream blocked = new OutputStream() {
            @Override
            public void write(int b) {
                try {
                    read.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Path pids = directory.resolve("pids");
        String script = "trap '' TERM; echo $$ >>\"$0\"; echo ready >>\"$0\"; while :; do sleep 0.02; done";
        CompletableFuture<Integer> status = run(new PrintStream(blocked, true, UTF_8), script, pids);
        List<String> lines = Waits.untilContains(pids, "ready");
        try {
            gateway.close();
            Waits.untilEnded(Long.parseLong(lines.getFirst()));
        } finally {
            read.countDown();
        }
        assertThat(status.get()).isEqualTo(74);
    }
}
