package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.Invocation;
import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.log.LogLines;
import io.flockgate.gateway.session.ClientRefusal;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.Refusal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock("log of CapWarnings")
class CapWarningsTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LogLines lines = new LogLines(CapWarnings.class);
    private final CapWarnings warnings = new CapWarnings(() -> new KeyUsage(8, 6, 8), config());

    private static LockConfig config() {
        List<String> flags = List.of(
                "--max-locks=8",
                "--max-holders=7",
                "--max-holders-per-key=6",
                "--max-waiters=5",
                "--max-holders-per-client=4",
                "--max-enqueued=3",
                "--max-enqueued-per-client=2");
        if (CommandLine.read(flags, Map.of()) instanceof Invocation.Serve serve) {
            return serve.config().locks();
        }
        throw new AssertionError(flags);
    }

    @AfterEach
    void detach() {
        lines.close();
    }

    @Test
    void aCapWarnsOnceAMinuteWithTheNumberOfRefusals() {
        for (int i = 0; i < 5; i++) {
            warnings.accept(Refusal.MAX_LOCKS, 10 + i);
        }
        warnings.accept(Refusal.MAX_LOCKS, 10 + MINUTE - 1);
        assertThat(lines.all())
                .containsExactly(
                        "WARN too many keys, refusing new ones flag=--max-locks max=8 keys=8 idle=75% refused=1");
        warnings.accept(Refusal.MAX_LOCKS, 10 + MINUTE);
        assertThat(lines.all())
                .hasSize(2)
                .last()
                .isEqualTo("WARN too many keys, refusing new ones flag=--max-locks max=8 keys=8 idle=75% refused=6");
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_HOLDERS, --max-holders, 7",
        "MAX_HOLDERS_PER_KEY, --max-holders-per-key, 6",
        "MAX_WAITERS, --max-waiters, 5"
    })
    void theFlagOfTheCapIsNamed(Refusal refusal, String flag, int max) {
        warnings.accept(refusal, 1);
        assertThat(lines.all())
                .containsExactly("WARN a cap is reached, refusing claims flag=" + flag + " max=" + max + " refused=1");
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_HOLDERS_PER_CLIENT, --max-holders-per-client, 4",
        "MAX_ENQUEUED, --max-enqueued, 3",
        "MAX_ENQUEUED_PER_CLIENT, --max-enqueued-per-client, 2"
    })
    void theFlagOfAClientsCapIsNamed(ClientRefusal refusal, String flag, int max) {
        warnings.accept(refusal, 1);
        assertThat(lines.all())
                .containsExactly("WARN a cap is reached, refusing claims flag=" + flag + " max=" + max + " refused=1");
    }

    @Test
    void eachCapWarnsByItselfAndOtherRefusalsDoNot() {
        for (Refusal refusal : Refusal.values()) {
            warnings.accept(refusal, 1);
        }
        assertThat(lines.all()).hasSize(4);
    }
}
