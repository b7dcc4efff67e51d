package io.flockgate.client.onconsul;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Test;

/** Settings of ShedLock that Consul cannot honour. */
class ShedLockOverConsulTest {
    @Test
    void aTimeThatConsulCannotGiveIsRefusedInWords() {
        try (ConsulBackend consul =
                new ConsulBackend(ConsulOptions.agents(List.of(URI.create("consul://127.0.0.1:1"))))) {
            FlockgateLockProvider locks = new FlockgateLockProvider(consul);
            LockConfiguration report =
                    new LockConfiguration(Instant.now(), "report", Duration.ofSeconds(9), Duration.ZERO);

            assertThatThrownBy(() -> locks.lock(report))
                    .isInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("lockAtMostFor")
                    .hasMessageContaining("report")
                    .hasMessageContaining("10 s")
                    // In milliseconds, rounded up.
                    .hasMessageMatching(".* of (8\\.\\d+|9|9\\.001) s .*");
        }
    }
}
