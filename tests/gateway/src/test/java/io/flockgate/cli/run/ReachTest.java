package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims while the gateway cannot be reached, or only for moments. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ReachTest {
    private final CommandRun command = new CommandRun();

    @AutoClose
    private final TestGateway gateway = TestGateway.start();

    @AutoClose
    private final FaultyLink link = FaultyLink.to(gateway.port());

    private CompletableFuture<Integer> run(String line) {
        return command.later(Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + link.port()), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --key k --wait 60s -- true", "lock k --for 10m --wait forever"})
    void aWaitThatIsGivenCoversAServerThatIsAwayForAMoment(String line) throws Exception {
        link.refuse();
        CompletableFuture<Integer> status = run(line);
        Polling.until(
                "the second try", () -> status.isDone() || command.errorOutput().contains("tries again"));
        link.mend();
        assertThat(status.get(60, TimeUnit.SECONDS)).as(command.errorOutput()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --key k -- true", "run --key k --wait 300ms -- true", "lock k --for 10m --wait 300ms"})
    void aServerThatStaysAwayIsTold(String line) throws Exception {
        link.refuse();
        assertThat(run(line).get()).isEqualTo(69);
        assertThat(command.errorOutput()).contains("no server can be reached");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --key k --wait 3s -- true", "lock k --for 10m --wait 3s"})
    void aWaitThatIsCutAgainAndAgainEndsLikeAnyOther(String line) throws Exception {
        try (LineClient holder = gateway.client();
                LineClient observer = gateway.client()) {
            HeldGrant unused = holder.lock("k", 0, 60);
            CompletableFuture<Integer> status = run(line);
            observer.awaitWaiters("k", 1);
            while (!status.isDone()) {
                link.cut();
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(status.get()).isEqualTo(75);
            assertThat(command.errorOutput()).endsWith(": not acquired: others hold k\n");
        }
    }
}
