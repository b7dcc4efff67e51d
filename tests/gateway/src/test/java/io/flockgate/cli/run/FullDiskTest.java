package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose standard output cannot be written. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FullDiskTest {
    private static final String MESSAGE = "cannot write to standard output: is its disk full, or its reader gone?";

    @AutoClose
    private static final TestGateway gateway = TestGateway.startWithHttp();

    private static GatewayProcess run(String line) {
        return GatewayLauncher.of(List.of("/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"))
                .flags(RunProcessTest.java().toArray(String[]::new))
                .flags(line.split(" "))
                .environment("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port())
                .launch();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "ls --watch", "--version"})
    void outputThatIsLostIsAFailure(String line) throws Exception {
        try (GatewayProcess process = run(line)) {
            assertThat(process.exitStatus()).isEqualTo(1);
            assertThat(process.err()).endsWith("flockgate: " + MESSAGE + "\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock a", "lock b --for 60s"})
    void aLockWhoseTokenIsLostIsReleased(String line) throws Exception {
        try (LineClient next = gateway.client();
                GatewayProcess process = run(line)) {
            assertThat(process.exitStatus()).isEqualTo(1);
            assertThat(process.err()).isEqualTo("flockgate lock: " + MESSAGE + "\n");
            assertThat(next.ask("l", line.split(" ", -1)[1], "0")).startsWith("ok ");
        }
    }
}
