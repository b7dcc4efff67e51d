package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Commands and leases continue while a gateway with a data directory is killed or upgraded. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunOverRestartTest {
    @TempDir
    Path directory;

    private final int port = Ports.adjacent(1, List.of("127.0.0.1"));

    private GatewayProcess gateway() throws InterruptedException {
        return GatewayLauncher.ofJar("--data-dir=" + directory.resolve("data"), "--port=" + port)
                .start();
    }

    private GatewayProcess run(String script, String... args) {
        return GatewayLauncher.of(RunProcessTest.java())
                .flags("run", "--server=127.0.0.1:" + port, "--key=a", "--lease=60s", "--", "sh", "-c", script)
                .flags(args)
                .launch();
    }

    @Test
    void theSecondCommandWaitsUntilTheFirstHasEndedThoughTheGatewayIsKilled() throws Exception {
        Path log = directory.resolve("log");
        Path end = directory.resolve("end");
        String script = "echo start-$0 >>\"$1\"; while [ ! -e \"$2\" ]; do sleep 0.05; done; echo end-$0 >>\"$1\"";
        GatewayProcess gateway = gateway();
        try (GatewayProcess one = run(script, "1", log.toString(), end.toString())) {
            Waits.untilContains(log, "start-1");
            gateway.kill();
            try (GatewayProcess restarted = gateway();
                    LineClient observer = restarted.client();
                    GatewayProcess two = run(script, "2", log.toString(), end.toString())) {
                observer.awaitWaiters("a", 1);
                Files.createFile(end);
                assertThat(one.exitStatus()).isZero();
                assertThat(two.exitStatus()).isZero();
            }
        } finally {
            gateway.close();
        }
        assertThat(Waits.lines(log)).containsExactly("start-1", "end-1", "start-2", "end-2");
    }
}
