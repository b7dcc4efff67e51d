package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway with a data directory that is killed at random moments, again and again, while clients
 * lock keys. Every second kill leaves a torn end of the journal as well.
 */
@Tag("process")
class KillLoopTest {
    private static final int LONGEST_LIFE_MILLIS = 700;

    private static final int MOST_ROUNDS = 10;

    @TempDir
    Path directory;

    private final HoldingChecker checker = new HoldingChecker();
    private final AtomicInteger generation = new AtomicInteger();
    private final List<HoldingClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    @Test
    void noClientLosesAGrantOverAFewKills() throws Exception {
        endures(5, 12, 64);
    }

    @Tag("slow")
    @Test
    void noClientLosesAGrantOverAThousandKills() throws Exception {
        endures(Integer.getInteger("kills", 1_000), 40, 256);
    }

    private void endures(int kills, int many, int keys) throws Exception {
        Random random = new Random(Long.getLong("kills.seed", System.nanoTime()));
        GatewayProcess gateway =
                GatewayLauncher.ofJar("--data-dir=" + directory).withHttp().start();
        int port = gateway.port();
        int httpPort = gateway.httpPort();
        try {
            startClients(many, keys, port, httpPort, random);
            for (int i = 0; mustGoOn(i, kills); i++) {
                awaitGrants(i);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_LIFE_MILLIS)));
                gateway.kill();
                generation.incrementAndGet();
                if (random.nextBoolean()) {
                    tearEnd();
                }
                gateway = GatewayLauncher.ofJar("--data-dir=" + directory, "--port=" + port, "--http-port=" + httpPort)
                        .start();
            }
            gateway.awaitLog("msg=\"http listening\"");
            endClients();
            allKeysAreFree(gateway, keys);
        } finally {
            clients.forEach(HoldingClient::stop);
            gateway.close();
        }
        assertThat(checker.faults()).isEmpty();
        assertThat(checker.survivors()).as("grants that outlived a kill").isPositive();
        System.getLogger("kills")
                .log(
                        System.Logger.Level.INFO,
                        "{0} kills, {1} grants, {2} confirmed by a later process",
                        kills,
                        checker.grants(),
                        checker.survivors());
    }

    /**
     * Leaves what a loss of power would leave of the last write, because a kill never tears one.
     */
    private void tearEnd() throws IOException {
        byte[] beginOfFrame = {'\n', 'F', 'L', 'J', 0, 0, 0, 40, 1, 2, 3, 4, 'G'};
        Files.write(directory.resolve("grants.journal"), beginOfFrame, StandardOpenOption.APPEND);
    }

    /** On a busy machine few grants are held when the gateway is killed. */
    private boolean mustGoOn(int killed, int kills) {
        return checker.faults().isEmpty()
                && (killed < kills || (checker.survivors() == 0 && killed < MOST_ROUNDS * kills));
    }

    private void awaitGrants(int killed) {
        Polling.until(
                "each process makes grants",
                () -> checker.grants() > killed || !checker.faults().isEmpty());
    }

    private void startClients(int many, int keys, int port, int httpPort, Random random) {
        for (int i = 0; i < many; i++) {
            HoldingClient.Calls calls = i % 2 == 0 ? new DetachedCalls(port) : new RestCalls(httpPort);
            HoldingClient client =
                    new HoldingClient(calls, checker, generation::get, keys, i % 6 < 2, random.nextLong());
            clients.add(client);
            threads.add(Thread.ofPlatform().daemon().name("client-" + i).start(client));
        }
    }

    private void endClients() throws InterruptedException {
        clients.forEach(HoldingClient::stop);
        for (Thread each : threads) {
            assertThat(each.join(java.time.Duration.ofSeconds(60)))
                    .as("%s ends", each)
                    .isTrue();
        }
    }

    /** Some keys are held by grants whose answer was lost, until their leases end. */
    private static void allKeysAreFree(GatewayProcess gateway, int keys) throws Exception {
        try (LineClient client = gateway.client()) {
            for (int i = 0; i < keys; i++) {
                HeldGrant grant = client.lock("key-" + i, 6 * HoldingClient.LEASE_SECONDS, 60);
                client.release(grant);
            }
        }
    }
}
