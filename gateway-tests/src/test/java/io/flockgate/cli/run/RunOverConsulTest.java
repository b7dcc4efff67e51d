package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * {@code flockgate run} without a gateway, like {@code consul lock}. It does not run beside a
 * flood, which would leave Consul no time to answer.
 */
@Tag("consul")
@ResourceLock("flood")
class RunOverConsulTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        String agent = "consul://" + ConsulAgent.shared().address().getAuthority() + "/run-over-consul";
        return RunCommand.run(
                List.of(args),
                Map.of("FLOCKGATE_SERVER", agent),
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                new PrintStream(err, true, UTF_8),
                SignalInbox::closed);
    }

    @Test
    void theCommandRunsWhileTheKeyIsHeld() {
        // A long lease gives requests the time that they need on a busy machine.
        assertThat(run("--key=job", "--lease=10m", "--", "sh", "-c", "exit 7"))
                .as(err::toString)
                .isEqualTo(7);
        assertThat(run("--key=job", "--lease=10m", "--wait=0", "--", "true"))
                .as(err::toString)
                .isZero();
        assertThat(err.toString(UTF_8)).isEmpty();
    }

    @Test
    void aLeaseThatConsulCannotGiveIsRefused() {
        assertThat(run("--key=job", "--lease=6s", "--", "true")).isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .contains("flockgate run: ")
                .hasLineCount(1)
                .doesNotContain("Exception");
    }
}
