package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much longer a gateway takes to start when its data directory has many grants. */
@Tag("process")
class StartWithGrantsTest {
    private static final int GRANTS = 100_000;
    private static final int CLIENTS = 50;
    private static final int STARTS = 7;
    private static final int LEASE_SECONDS = 3_600;

    @TempDir
    Path root;

    private final List<Long> emptyCpu = new ArrayList<>();
    private final List<Long> fullCpu = new ArrayList<>();

    @Tag("slow")
    @Test
    void aHundredThousandGrantsTakeASecondMoreAtMost() throws Exception {
        try (GatewayProcess gateway = launcher("full").start()) {
            fill(gateway.port());
            gateway.kill();
        }
        List<Long> empty = new ArrayList<>();
        List<Long> full = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            empty.add(startMillis("empty", false));
            full.add(startMillis("full", true));
        }
        long more = median(full) - median(empty);
        System.getLogger("start")
                .log(
                        System.Logger.Level.INFO,
                        "ms to start, and of CPU time: empty {0}, {1}; full {2}, {3}",
                        empty,
                        emptyCpu,
                        full,
                        fullCpu);
        assertThat(more).as("ms more with %d grants", GRANTS).isLessThanOrEqualTo(1_000);
    }

    /** With the minimum of memory that the launcher gives. */
    private GatewayLauncher launcher(String directory) {
        return GatewayLauncher.ofJar("--data-dir=" + root.resolve(directory), "--max-locks=" + 2 * GRANTS)
                .javaOptions("-Xmx512m");
    }

    private static void fill(int port) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            all.add(CompletableFuture.runAsync(() -> fill(port, client), StartWithGrantsTest::start));
        }
        all.forEach(CompletableFuture::join);
    }

    private static void start(Runnable task) {
        Thread unused = Thread.ofVirtual().start(task);
    }

    private static void fill(int port, int number) {
        try (LineClient client = LineClient.connect(port)) {
            assertThat(client.ask("hello", "detached-" + number, "detached")).startsWith("ok");
            for (int i = number; i < GRANTS; i += CLIENTS) {
                HeldGrant unused = client.lock("key-" + i, 0, LEASE_SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long startMillis(String directory, boolean held) throws Exception {
        long begin = System.nanoTime();
        try (GatewayProcess gateway = launcher(directory).start()) {
            long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            (held ? fullCpu : emptyCpu).add(cpuMillis(gateway));
            try (LineClient client = gateway.client()) {
                String answer = client.ask("l", "key-" + (GRANTS - 1), "0 1");
                assertThat(answer.equals("timeout")).isEqualTo(held);
            }
            gateway.kill();
            return millis;
        }
    }

    private static long cpuMillis(GatewayProcess gateway) {
        return ProcessHandle.of(gateway.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow()
                .toMillis();
    }

    private static long median(List<Long> times) {
        List<Long> sorted = new ArrayList<>(times);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
