package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gateways and the real {@code consul lock} on one key, under load, counted by an external witness.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulLockCommandTest {
    /**
     * The minimum duration of the load, which continues until both sides have been inside often
     * enough, but not indefinitely.
     */
    private static final long LOAD_NANOS = TimeUnit.SECONDS.toNanos(6);

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final int OFTEN = 10;
    private static final long STAY_MILLIS = 5;
    private static final int COMMANDS = 2;
    private static final int CLIENTS = 3;

    private final RealSite site = new RealSite();
    private final String prefix = "interop-" + UUID.randomUUID() + "/service";
    private final Map<String, String> options = Map.of("consul-map", "job=" + prefix, "consul-holders", "map");
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final long begun = System.nanoTime();

    @AfterEach
    void close() {
        threads.shutdownNow();
        site.deleteTree(prefix);
        site.close();
    }

    @Test
    void neverMoreThanOneHoldsALock() throws Exception {
        load(Site.lock("job"), List.of());
    }

    @Test
    void neverMoreThanTheLimitHoldASemaphore() throws Exception {
        load(Site.semaphore("job", 2), List.of("-n=2"));
    }

    private void load(Claim claim, List<String> arguments) throws Exception {
        try (Witness witness = new Witness()) {
            List<Future<?>> running = new ArrayList<>();
            for (Gateway gateway : List.of(site.gateway(options), site.gateway(options))) {
                for (int i = 0; i < CLIENTS; i++) {
                    running.add(threads.submit(() -> holdAgainAndAgain(gateway, claim, witness)));
                }
            }
            for (int i = 0; i < COMMANDS; i++) {
                running.add(threads.submit(() -> {
                    runAgainAndAgain(arguments, witness);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                done(each);
            }
            assertThat(witness.most()).isEqualTo(claim.limit());
            assertThat(witness.visitsHere()).isGreaterThanOrEqualTo(OFTEN);
            assertThat(witness.visitsOfProcesses()).isGreaterThanOrEqualTo(OFTEN);
            nothingIsLeftBehind();
        }
    }

    private boolean goesOn(Witness witness) {
        long time = System.nanoTime() - begun;
        boolean enough = witness.visitsHere() >= OFTEN && witness.visitsOfProcesses() >= OFTEN;
        return time < LOAD_NANOS || (!enough && time < LONGEST_NANOS);
    }

    private static void done(Future<?> running) throws Exception {
        try {
            Object unused = running.get(90, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("somebody failed under load", e.getCause());
        }
    }

    private void holdAgainAndAgain(Gateway gateway, Claim claim, Witness witness) {
        while (goesOn(witness)) {
            Had held = gateway.acquire(claim);
            witness.visitHere();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            // Gives the others a chance to find the key free.
            Witness.pause(2);
        }
    }

    private void runAgainAndAgain(List<String> arguments, Witness witness) throws IOException, InterruptedException {
        while (goesOn(witness)) {
            List<String> words = new ArrayList<>(List.of("lock"));
            words.addAll(arguments);
            words.addAll(List.of("-shell=false", prefix));
            words.addAll(witness.visit());
            Process command = ConsulAgent.shared()
                    .command(words.toArray(String[]::new))
                    .redirectErrorStream(true)
                    .start();
            try {
                command.getOutputStream().close();
                String said = new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(command.waitFor()).as(said).isZero();
            } finally {
                command.destroyForcibly();
            }
        }
    }

    private void nothingIsLeftBehind() {
        for (KvEntry entry : site.read(prefix).entries()) {
            assertThat(entry.session()).as(entry.key()).isNull();
            if (entry.key().endsWith("/.lock") && entry.flags() == Flags.SEMAPHORE) {
                assertThat(entry.value()).asString(StandardCharsets.UTF_8).isEqualTo("{\"Limit\":2,\"Holders\":{}}");
            }
        }
    }

    /**
     * Counts externally how many visitors are inside at one moment. A visit takes real time, so
     * that visits can overlap. Threads of this process enter and leave; other processes connect and
     * are inside until a line is sent to them, but count as having left before it is sent.
     */
    private static final class Witness implements AutoCloseable {
        private final ScriptedServer server = ScriptedServer.ofConnections(this::see);
        private int inside;
        private int most;
        private int entries;
        private int processes;

        /** A command that is briefly inside and then exits with 0. */
        List<String> visit() {
            return List.of("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + server.port() + " && read -r line <&3");
        }

        private void see(Socket visitor) throws IOException {
            synchronized (this) {
                processes++;
            }
            visitHere();
            visitor.getOutputStream().write("bye\n".getBytes(StandardCharsets.US_ASCII));
        }

        /** Makes a thread of this process visit briefly. */
        void visitHere() {
            enter();
            pause(STAY_MILLIS);
            leave();
        }

        static void pause(long millis) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }

        private synchronized void enter() {
            entries++;
            inside++;
            most = Math.max(most, inside);
        }

        private synchronized void leave() {
            inside--;
        }

        synchronized int most() {
            return most;
        }

        synchronized int visitsOfProcesses() {
            return processes;
        }

        synchronized int visitsHere() {
            return entries - processes;
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
