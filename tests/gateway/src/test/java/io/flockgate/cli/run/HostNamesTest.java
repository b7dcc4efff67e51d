package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Commands that reach their gateway by a host name. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class HostNamesTest {
    private static final String ONE = "127.0.0.2";
    private static final String OTHER = "127.0.0.3";

    private final int port = Ports.adjacent(1, List.of(ONE, OTHER));
    private final String server = "gate.test:" + port;

    @TempDir
    Path directory;

    private static GatewayProcess gateway(String host, int port, String... flags) throws InterruptedException {
        return GatewayLauncher.of(RunProcessTest.java())
                .flags("--host=" + host, "--port=" + port)
                .flags(flags)
                .start();
    }

    private void name(String... addresses) throws IOException {
        Files.writeString(
                directory.resolve("hosts"),
                Arrays.stream(addresses)
                        .map(each -> each + " gate.test localhost\n")
                        .collect(Collectors.joining()));
    }

    private GatewayProcess command(String... words) {
        return GatewayLauncher.of(RunProcessTest.java())
                .javaOptions("-Djdk.net.hosts.file=" + directory.resolve("hosts"))
                .flags(words)
                .launch();
    }

    @Test
    void aGatewayThatMovesToAnotherAddressOfItsNameKeepsItsHolders() throws Exception {
        Path seen = directory.resolve("seen");
        Path moved = directory.resolve("moved");
        String data = "--data-dir=" + directory.resolve("data");
        String work = "echo ready >>$0; until [ -e $1 ]; do sleep 0.05; done";
        name(ONE);
        try (GatewayProcess first = gateway(ONE, port, data);
                GatewayProcess run = command(
                        "run",
                        "--server=" + server,
                        "--key=moved",
                        "--wait=60s",
                        "--lease=60s",
                        "--",
                        "sh",
                        "-c",
                        work,
                        seen.toString(),
                        moved.toString())) {
            Polling.until("the command starts", () -> seen.toFile().exists() || !run.isAlive());
            assertThat(run.isAlive()).as(run::logTail).isTrue();
            Waits.untilContains(seen, "ready");
            first.stop();
            name(OTHER);
            try (GatewayProcess second = gateway(OTHER, port, data)) {
                Files.createFile(moved);
                assertThat(run.exitStatus()).as(run::logTail).isZero();
                assertThat(run.err()).as(second::logTail).doesNotContain("not released");
            }
        }
    }

    @Test
    void anAddressThatRefusesOrDoesNotAnswerIsFollowedByTheNext() throws Exception {
        name(ONE, OTHER);
        try (GatewayProcess lock = command("lock", "job", "--for=60s", "--server=" + server)) {
            assertThat(lock.exitStatus()).isNotZero();
            assertThat(lock.err()).contains(server + " (" + ONE + ")", server + " (" + OTHER + ")");
        }
        int http = Ports.adjacent(1, List.of(ONE, OTHER));
        try (GatewayProcess gateway = gateway(OTHER, port, "--http-port=" + http)) {
            expectSuccess(server, "lock", "refused", "--for=60s");
            expectSuccess(server, "ls");
            expectSuccess("http://gate.test:" + http, "ls");
            try (ServerSocket silent = new ServerSocket(port, 50, InetAddress.getByName(ONE));
                    ServerSocket rest = new ServerSocket(http, 50, InetAddress.getByName(ONE))) {
                expectSuccess(server, "lock", "silent", "--for=60s");
                CompletableFuture<Duration> wait = CompletableFuture.supplyAsync(() -> waitOfOneClient(rest));
                expectSuccess("http://gate.test:" + http, "ls");
                assertThat(wait.get(60, TimeUnit.SECONDS)).isLessThan(Duration.ofSeconds(5));
            }
        }
    }

    /** From its connection to its end, without an answer. */
    private static Duration waitOfOneClient(ServerSocket silent) {
        try (Socket client = silent.accept()) {
            long begun = System.nanoTime();
            byte[] unused = client.getInputStream().readAllBytes();
            return Duration.ofNanos(System.nanoTime() - begun);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void withTlsTheNextAddressIsTriedAndTheNameIsVerified() throws Exception {
        name(ONE, OTHER);
        int http = Ports.adjacent(1, List.of(ONE, OTHER));
        String trusted = "--ca-file=" + TlsClients.file("rsa.crt");
        String[] tls = TlsClients.flags("rsa.crt", "rsa-pkcs8.key", "--http-port=" + http);
        try (GatewayProcess gateway = gateway(OTHER, port, tls);
                GatewayProcess wrong = command("ls", "--server=https://gate.test:" + http, trusted)) {
            expectSuccess("https://localhost:" + http, "ls", trusted);
            expectSuccess("flockgates://localhost:" + port, "ls", trusted);
            assertThat(wrong.exitStatus()).as(gateway::logTail).isNotZero();
            assertThat(wrong.err()).contains("certificate", "(" + OTHER + ")");
        }
    }

    private void expectSuccess(String address, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(words));
        line.add("--server=" + address);
        try (GatewayProcess command = command(line.toArray(String[]::new))) {
            assertThat(command.exitStatus()).as(command::logTail).isZero();
        }
    }
}
