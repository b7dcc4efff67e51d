package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.ClaimOptions.WaitOption;
import io.flockgate.cli.run.RunOptions.OnLoss;
import io.flockgate.cli.run.Supervisor.StartedCommand;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A supervisor whose command runs as another user, as under sudo. */
@Tag("process")
class SupervisorTest {
    /** A running command that accepts no signal. */
    private static StartedCommand immune(Process process) {
        ProcessHandle handle = (ProcessHandle) Proxy.newProxyInstance(
                SupervisorTest.class.getClassLoader(),
                new Class<?>[] {ProcessHandle.class},
                (proxy, method, args) ->
                        method.getName().startsWith("destroy") ? false : method.invoke(process.toHandle(), args));
        return new StartedCommand(handle, StartedCommand.of(process).status());
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
                Supervisor supervisor = new Supervisor(immune(sleep), guard, grant, options, notices);
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
