package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.ClaimOptions.WaitOption;
import io.flockgate.cli.run.RunOptions.OnLoss;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A supervisor whose command runs as another user, as under sudo. */
@Tag("process")
class SupervisorTest {
    /** A running process that accepts no signal. */
    private static final class Immune extends Process {
        private final Process process;

        Immune(Process process) {
            this.process = process;
        }

        @Override
        public ProcessHandle toHandle() {
            return (ProcessHandle) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {ProcessHandle.class},
                    (proxy, method, args) ->
                            method.getName().startsWith("destroy") ? false : method.invoke(process.toHandle(), args));
        }

        @Override
        public CompletableFuture<Process> onExit() {
            return process.onExit();
        }

        @Override
        public int waitFor() throws InterruptedException {
            return process.waitFor();
        }

        @Override
        public int exitValue() {
            return process.exitValue();
        }

        @Override
        public void destroy() {}

        @Override
        public OutputStream getOutputStream() {
            return process.getOutputStream();
        }

        @Override
        public InputStream getInputStream() {
            return process.getInputStream();
        }

        @Override
        public InputStream getErrorStream() {
            return process.getErrorStream();
        }
    }

    private static RunOptions options() {
        ClaimOptions claim = new ClaimOptions(
                "k", 1, new WaitOption(Duration.ZERO, true), Duration.ofSeconds(6), Duration.ofMillis(100), "me");
        return new RunOptions(List.of("sudo"), claim, OnLoss.KILL, Statuses.LOST, Statuses.NOT_ACQUIRED);
    }

    @Test
    void aProcessThatCannotBeEndedIsNamedAndNotWaitedFor() throws Exception {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Notices notices = new Notices(new PrintStream(err, true, UTF_8), "run", "k", Notices.Style.QUIET);
        MemoryBackend backend = new MemoryBackend(LeaseEnvironment.system());
        Process sleep = new ProcessBuilder("sleep", "600").start();
        try (LeaseProvider provider = Flockgate.provider(backend, LeaseEnvironment.system())) {
            LeaseGrant grant = provider.lease(LeaseOptions.named("k").build())
                    .acquireWithToken()
                    .toCompletableFuture()
                    .get()
                    .orElseThrow();
            RunOptions options = options();
            try (Guard guard = Guard.start(grant.token(), options.claim().grace(), options.onLoss())) {
                Supervisor supervisor = new Supervisor(new Immune(sleep), guard, grant, options, notices);
                backend.revoke("k");
                assertThat(supervisor.supervise()).isEqualTo(71);
            }
            assertThat(err.toString(UTF_8))
                    .contains("the lease of k is lost: ")
                    .endsWith("flockgate run: cannot end " + sleep.pid() + " (sleep): running on without the key\n");
        } finally {
            sleep.destroyForcibly();
        }
    }
}
