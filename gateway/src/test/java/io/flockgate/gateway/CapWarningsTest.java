package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.Invocation;
import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.session.ClientRefusal;
import io.flockgate.gateway.session.WatchedSession;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.Ticket;
import io.flockgate.testsupport.LogLines;
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
    private final CapWarnings warnings = new CapWarnings(() -> new KeyUsage(8, 6, 8), () -> 3, config());

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

    private static final WatchedSession SESSION = new WatchedSession() {
        @Override
        public String principal() {
            return "";
        }

        @Override
        public long id() {
            return 7;
        }

        @Override
        public ClientDescription description() {
            return new ClientDescription(Via.CONNECTION, null, "192.0.2.7:51044");
        }

        @Override
        public void granted(Ticket ticket, Grant grant) {}

        @Override
        public void removed(Ticket ticket) {}

        @Override
        public void ended(Grant grant, Ending ending) {}
    };

    private void refuse(Enum<?> reason, long now) {
        Claim claim = new Claim(Key.of("ci/ab"), Kind.SEMAPHORE, 3, 30, true);
        warnings.refused(SESSION, claim, reason, now);
    }

    @AfterEach
    void detach() {
        lines.close();
    }

    @Test
    void aCapWarnsOnceAMinuteWithTheNumberOfRefusals() {
        for (int i = 0; i < 5; i++) {
            refuse(Refusal.MAX_LOCKS, 10 + i);
        }
        refuse(Refusal.MAX_LOCKS, 10 + MINUTE - 1);
        assertThat(lines.all())
                .containsExactly(
                        "WARN too many keys, refusing new ones flag=--max-locks max=8 keys=8 idle=75% refused=1");
        refuse(Refusal.MAX_LOCKS, 10 + MINUTE);
        assertThat(lines.all())
                .hasSize(2)
                .last()
                .isEqualTo("WARN too many keys, refusing new ones flag=--max-locks max=8 keys=8 idle=75% refused=6");
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_HOLDERS, '--max-holders max=7'",
        "MAX_HOLDERS_PER_KEY, '--max-holders-per-key max=6 key=ci/ab'",
        "MAX_WAITERS, '--max-waiters max=5 key=ci/ab'"
    })
    void theFlagOfTheCapIsNamedAndTheKeyThatItConcerns(Refusal refusal, String state) {
        refuse(refusal, 1);
        assertThat(lines.all()).containsExactly("WARN a cap is reached, refusing claims flag=" + state + " refused=1");
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_HOLDERS_PER_CLIENT, '--max-holders-per-client max=4 conn=7 peer=192.0.2.7:51044'",
        "MAX_ENQUEUED, '--max-enqueued max=3 enqueued=3'",
        "MAX_ENQUEUED_PER_CLIENT, '--max-enqueued-per-client max=2 conn=7 peer=192.0.2.7:51044'"
    })
    void theFlagOfAClientsCapIsNamedAndTheClient(ClientRefusal refusal, String state) {
        refuse(refusal, 1);
        assertThat(lines.all()).containsExactly("WARN a cap is reached, refusing claims flag=" + state + " refused=1");
    }

    @Test
    void eachCapWarnsByItselfAndOtherRefusalsDoNot() {
        for (Refusal refusal : Refusal.values()) {
            refuse(refusal, 1);
        }
        assertThat(lines.all()).hasSize(4);
    }
}
