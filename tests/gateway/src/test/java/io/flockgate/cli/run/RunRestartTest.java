package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Ports;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code flockgate run} when a gateway that keeps its grants in memory is killed and started again.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RunRestartTest {
    /** Ignores TERM, so that only KILL ends it. */
    private static final String STUBBORN =
            "trap '' TERM; echo $$ >>\"$0\"; echo ready >>\"$0\"; while :; do sleep 0.02; done";

    /** A renewal is due after three minutes at the earliest, far longer than this test waits. */
    private static final String LEASE = "--lease=10m";

    private final int port = Ports.adjacent(1, List.of("127.0.0.1"));
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    /** A gateway that has answered once, because its first answer is slow on a busy machine. */
    private GatewayProcess gateway(URI server) throws Exception {
        GatewayProcess gateway = GatewayLauncher.ofJar("--port=" + port).start();
        WarmClient.over(server, ConnectOptions.defaults());
        return gateway;
    }

    private CompletableFuture<Integer> run(URI server, String... args) {
        List<String> all = Stream.concat(Stream.of("--server=" + server, "--key=a", LEASE), Stream.of(args))
                .toList();
        PrintStream output = new PrintStream(err, true, UTF_8);
        return CompletableFuture.supplyAsync(
                () -> RunCommand.run(all, Map.of(), output, output, SignalInbox::closed), Thread::startVirtualThread);
    }

    @Test
    void theCommandOfTheOldProcessEndsWithinTheGrace() throws Exception {
        URI server = URI.create("flockgate://127.0.0.1:" + port);
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        try (GatewayProcess old = gateway(server)) {
            CompletableFuture<Integer> holder = run(server, "--grace=1s", "--", "sh", "-c", STUBBORN, first.toString());
            long command = Long.parseLong(Waits.untilContains(first, "ready").getFirst());
            old.kill();
            try (GatewayProcess restarted = gateway(server)) {
                CompletableFuture<Integer> next =
                        run(server, "--", "sh", "-c", "echo ready >>\"$0\"", second.toString());
                Waits.untilContains(second, "ready");

                Waits.untilEnded(command);

                assertThat(holder.get(60, TimeUnit.SECONDS)).isEqualTo(74);
                assertThat(err.toString(UTF_8)).contains("the lease of a is lost: the server has restarted");
                assertThat(next.get(60, TimeUnit.SECONDS)).isZero();
                assertThat(restarted.isAlive()).isTrue();
            }
        }
    }
}
