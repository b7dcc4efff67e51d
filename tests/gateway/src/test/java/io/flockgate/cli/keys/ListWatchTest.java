package io.flockgate.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.keys.ListCommand.ChangeSignal;
import io.flockgate.cli.run.CommandRun;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.ConnectionOptions.Servers;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code flockgate ls --watch} over HTTP, woken by the gateway's events. */
@Execution(ExecutionMode.CONCURRENT)
class ListWatchTest {
    private static final Duration NEVER = Duration.ofHours(1);

    /** A watch that ends once it has shown a given text. */
    private static final class Watch {
        private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> status;

        Watch(int port, Duration interval, String last, boolean terminal) {
            PrintStream output = new PrintStream(
                    new OutputStream() {
                        @Override
                        public void write(int b) throws IOException {
                            if (shown().contains(last)) {
                                throw new IOException("Broken pipe");
                            }
                            shown.write(b);
                        }
                    },
                    true,
                    UTF_8);
            Map<String, String> environment = Map.of("FLOCKGATE_SERVER", "http://127.0.0.1:" + port);
            List<String> args = List.of("--watch", "--prefix", "job");
            status = CompletableFuture.supplyAsync(
                    () -> ListCommand.run(new CommandCall(args, environment, output, output), terminal, interval),
                    Thread.ofPlatform().daemon()::start);
        }

        String shown() {
            return shown.toString(UTF_8);
        }

        void awaitFirstList() throws Exception {
            Polling.until("a list is shown", () -> shown().contains("HOLDER\n"));
        }

        /** Waits for its end and returns what it has shown. */
        String ended() throws Exception {
            assertThat(status.get(LineClient.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isZero();
            return shown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWatchClearsATerminalOnlyAndEndsWhenItIsNotRead(boolean terminal) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            Watch watch = new Watch(gateway.httpPort(), Duration.ofMillis(1), "HOLDER\n", terminal);
            assertThat(watch.ended().contains("\u001b")).isEqualTo(terminal);
        }
    }

    @Test
    void aChangeIsShownLongBeforeTheNextListAndManyTogether() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient client = gateway.client()) {
            Watch watch = new Watch(gateway.httpPort(), NEVER, "job-last", false);
            watch.awaitFirstList();
            client.lock("job-1");
            Polling.until("the first change is shown", () -> watch.shown().contains("job-1"));
            client.lock("other");
            long before = lists(watch.shown());
            long began = System.nanoTime();
            for (int i = 0; i < 2_000; i++) {
                client.release(client.lock("job"));
            }
            client.lock("job-last");
            String shown = watch.ended();
            assertThat(shown).doesNotContain("other");
            long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(lists(shown) - before).isLessThanOrEqualTo(3 + tookMillis / 200);
        }
    }

    private static long lists(String shown) {
        return shown.lines().filter(line -> line.startsWith("KEY ")).count();
    }

    @Test
    void withoutEventsItListsFromTimeToTime() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-max-event-streams=1");
                Socket other = new Socket(InetAddress.getLoopbackAddress(), gateway.httpPort());
                LineClient client = gateway.client()) {
            other.getOutputStream().write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
            assertThat(other.getInputStream().read()).as("the stream has begun").isEqualTo('H');
            Watch watch = new Watch(gateway.httpPort(), Duration.ofMillis(1), "job-1", false);
            watch.awaitFirstList();
            client.lock("job-1");
            assertThat(watch.ended()).contains("job-1");
        }
    }

    @Test
    void eventsThatEndAreFollowedAgain() throws Exception {
        Reply ends = Reply.raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n: flockgate\n\n", true);
        try (ScriptedServer server = new ScriptedServer().otherwise(ends)) {
            Servers servers = new Servers(List.of(server.uri()));
            RestClient client = new RestClient(new ConnectionOptions(servers, Optional.empty(), Optional.empty()));
            try (ChangeSignal signal = new ChangeSignal(client, "", Duration.ZERO)) {
                Polling.until("the third request", () -> server.received().size() >= 3);
                signal.await(LineClient.PATIENCE);
            }
        }
    }

    @Tag("process")
    @Test
    void aNewConnectionReadsTheFileOfAuthoritiesAgain(@TempDir Path directory) throws Exception {
        Path certificate = directory.resolve("tls.crt");
        Path key = directory.resolve("tls.key");
        TlsClients.copy("rsa.crt", certificate);
        TlsClients.copy("rsa-pkcs8.key", key);
        CommandRun command = new CommandRun();
        try (TestGateway gateway = TestGateway.startWithHttp("--tls-cert=" + certificate, "--tls-key=" + key);
                FaultyLink link = FaultyLink.to(gateway.httpPort())) {
            String line = "ls --watch --ca-file=" + certificate + " --server=https://localhost:" + link.port();
            CompletableFuture<Integer> status = command.later(Map.of(), line);
            Polling.until("the first list", () -> command.output().contains("HOLDER\n"));
            TlsClients.copy("ec.crt", certificate);
            TlsClients.copy("ec-pkcs8.key", key);
            Polling.until("the new certificate", () -> TlsClients.accept("ec.crt", gateway.port()));

            link.cut();
            try (LineClient client = TlsClients.trusting("ec.crt").connect(gateway.port())) {
                client.lock("job");
                Polling.until(
                        "the next list",
                        () -> status.isDone() || command.output().contains("job "));
            }

            assertThat(status).as(command.errorOutput()).isNotDone();
        }
    }
}
