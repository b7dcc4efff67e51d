package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.bench.http.BareHttpServer;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.ScriptedServer;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoadMainTest {
    private final Map<String, Semaphore> keys = new ConcurrentHashMap<>();
    private final AtomicLong grants = new AtomicLong();

    /** Serves the line protocol, with a fair semaphore for each key. */
    private void serve(Socket socket) throws IOException {
        LineClient client = LineClient.over(socket);
        while (true) {
            String command = client.line();
            Semaphore key = keys.computeIfAbsent(client.line(), absent -> new Semaphore(1, true));
            String argument = client.line();
            if (command.equals("l")) {
                key.acquireUninterruptibly();
                client.send(String.format("ok %032x %s\n", grants.incrementAndGet(), argument.split(" ", -1)[1]));
            } else {
                key.release();
                client.send("ok\n");
            }
        }
    }

    private static String drive(int port, String options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] arguments = (options + " --seconds 0.05 --warmup-seconds 0 --addr 127.0.0.1:" + port + " --pid "
                        + ProcessHandle.current().pid())
                .split(" ", -1);
        int exit = LoadMain.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        assertThat(exit).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everySlotOfAWorkerHasAKeyOfItsOwnAndAHotKeyIsHandedOver() {
        try (ScriptedServer server = ScriptedServer.ofConnections(this::serve)) {
            assertThat(drive(server.port(), "--workers 2 --depth 8")).contains("\"server_us_per_pair\":");
            assertThat(keys).hasSize(16 + 1).containsKey("bench_1_7");
            assertThat(drive(server.port(), "--workers 4 --hot")).contains("\"handoff_p50_us\":");
            assertThat(keys).hasSize(18).containsKey("hot");
        }
    }

    @Test
    void keysAreHeldBesideASecondMeasurement() {
        try (ScriptedServer server = ScriptedServer.ofConnections(this::serve)) {
            assertThat(drive(server.port(), "--workers 2 --keys 600"))
                    .contains("\"fill_s\":", "\"bytes_each\":", "\"empty_us_per_pair\":", "\"cost_ratio\":");
            assertThat(keys.values().stream().filter(key -> key.availablePermits() == 0))
                    .hasSize(600);
        }
    }

    @Test
    void restIsDrivenInSessions() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            int port = BareHttpServer.listen(vertx, 0)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .actualPort();
            assertThat(drive(port, "--workers 5 --http")).contains("\"ops_per_s\":");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }
}
