package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ends of a process that cannot continue, or that must end at once. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ProcessEndTest {
    private static final int CANNOT_GO_ON = 3;

    /** A blocked loop is detected after a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @ParameterizedTest
    @CsvSource({
        FaultyStorage.NO_MEMORY + ", out of memory",
        FaultyStorage.ENDS_THREAD + ", the thread flockgate-leases has failed",
        FaultyStorage.BLOCKS + ", the event loop vert.x-eventloop-thread-0 is blocked: .*FaultyStorage.*"
    })
    void whatCannotGoOnEndsWithAReason(String key, String reason) throws Exception {
        try (GatewayProcess server =
                        GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start();
                LineClient client = server.client()) {
            client.send(LineClient.frame("l", key, "0"));
            assertThat(server.exitStatus(PATIENCE)).isEqualTo(CANNOT_GO_ON);
            assertThat(server.err())
                    .containsPattern("level=ERROR msg=\"cannot continue, ending the process\" reason=\"" + reason
                            + "\" status=3");
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aSecondSignalEndsItAtOnce(String signal, int status) throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar().start();
                LineClient client = server.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            server.signal("TERM");
            server.awaitLog("level=INFO msg=\"waiting up to 30 s for 1 connection\"");
            server.signal(signal);
            assertThat(server.exitStatus()).isEqualTo(status);
            assertThat(server.err()).contains("msg=\"second signal, ending at once\" signal=" + signal);
        }
    }

    @Test
    void aShutdownEndsThoughTheStorageHangs() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start()) {
            try (LineClient client = server.client()) {
                client.release(client.lock(FaultyStorage.NEVER_CLOSED));
            }
            assertThat(server.stop()).isEqualTo(CANNOT_GO_ON);
            assertThat(server.err())
                    .contains("level=ERROR msg=\"the shutdown takes too long, ending the process\""
                            + " waiting_for=\"the storage\" status=3");
        }
    }

    @Test
    void aSignalEndsAStartThatFails() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=stopped-start").launch()) {
            assertThat(server.exitStatus()).isZero();
            assertThat(server.err()).doesNotContain("takes too long");
        }
    }
}
