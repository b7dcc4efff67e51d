package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Ports;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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

    @Test
    void leasesAndACommandOutliveAFewUpgrades() throws Exception {
        outlive(3, 10);
    }

    @Tag("slow")
    @Test
    void aHundredLeasesAndACommandOutliveTenUpgrades() throws Exception {
        outlive(10, 100);
    }

    private void outlive(int upgrades, int many) throws Exception {
        Path log = directory.resolve("log");
        GatewayProcess gateway = gateway();
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        List<Lease> leases = new ArrayList<>();
        try (LeaseProvider lines = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port));
                GatewayProcess command = run("echo start >>\"$0\"; exec sleep 600", log.toString())) {
            for (int i = 0; i < many; i++) {
                leases.add(held(lines, "lease-" + i, lost));
            }
            Waits.untilContains(log, "start");
            for (int i = 0; i < upgrades; i++) {
                assertThat(gateway.stop()).isZero();
                gateway = gateway();
                try (LineClient other = gateway.client()) {
                    assertThat(other.ask("l", "a", "0")).isEqualTo("timeout");
                    for (int lease = 0; lease < many; lease++) {
                        assertThat(other.ask("l", "lease-" + lease, "0")).isEqualTo("timeout");
                    }
                }
            }
            assertThat(lost).isEmpty();
            assertThat(command.isAlive()).isTrue();
            for (Lease lease : leases) {
                assertThat(lease.current()).isPresent();
                lease.release().toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
            command.signal("TERM");
            assertThat(command.exitStatus()).isEqualTo(128 + 15);
            try (LineClient other = gateway.client()) {
                other.lock("a", 60, 60);
                for (int i = 0; i < many; i++) {
                    other.lock("lease-" + i, 60, 60);
                }
            }
        } finally {
            gateway.close();
        }
    }

    private static Lease held(LeaseProvider provider, String name, Queue<String> lost) throws Exception {
        LeaseOptions options = LeaseOptions.named(name)
                .ttl(Duration.ofSeconds(90))
                .requestTimeout(Duration.ofSeconds(20))
                .build();
        Lease lease = provider.lease(options);
        assertThat(lease.acquire().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isTrue();
        lease.onLost(event -> lost.add(name + ": " + event));
        return lease;
    }
}
