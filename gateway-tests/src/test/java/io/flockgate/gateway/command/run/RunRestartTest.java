package io.flockgate.gateway.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code flockgate run} when a gateway that keeps its grants in memory is killed and started again. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunRestartTest {
    /** Ignores TERM, so that only KILL ends it. */
    private static final String STUBBORN =
            "trap '' TERM; echo $$ >>\"$0\"; echo ready >>\"$0\"; while :; do sleep 0.02; done";

    /** A renewal comes after three minutes at the earliest, far later than this test waits. */
    private static final String LEASE = "--lease=10m";

    private final int port = Ports.adjacent(2, List.of("127.0.0.1"));

    @TempDir
    Path directory;

    private GatewayProcess gateway() throws InterruptedException {
        GatewayProcess gateway = GatewayLauncher.ofJar("--port=" + port, "--http-port=" + (port + 1))
                .start();
        gateway.awaitLog("msg=\"http listening\"");
        return gateway;
    }

    @CanIgnoreReturnValue
    private static List<String> untilReady(GatewayProcess run, Path file) throws IOException {
        List<String> lines = Polling.until(() -> Waits.lines(file), found -> found.contains("ready") || !run.isAlive());
        assertThat(lines).as(run::logTail).contains("ready");
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate", "http"})
    void theCommandOfTheOldProcessEndsWithinTheGrace(String scheme) throws Exception {
        String server = scheme + "://127.0.0.1:" + (scheme.equals("http") ? port + 1 : port);
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        try (GatewayProcess old = gateway();
                GatewayProcess holder = RunProcesses.run(
                        server, "--key=a", LEASE, "--grace=1s", "--", "sh", "-c", STUBBORN, first.toString())) {
            long command = Long.parseLong(untilReady(holder, first).getFirst());
            old.kill();
            try (GatewayProcess restarted = gateway();
                    GatewayProcess next = RunProcesses.run(
                            server, "--key=a", LEASE, "--", "sh", "-c", "echo ready >>\"$0\"", second.toString())) {
                untilReady(next, second);

                Waits.untilEnded(command);

                assertThat(holder.exitStatus()).isEqualTo(74);
                assertThat(holder.err()).contains("the lease of a is lost: the server has restarted");
                assertThat(next.exitStatus()).isZero();
                assertThat(restarted.isAlive()).isTrue();
            }
        }
    }
}
