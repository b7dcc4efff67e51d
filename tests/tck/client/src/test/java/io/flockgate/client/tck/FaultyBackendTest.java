package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Leases over a back end that breaks its contract: no state gets stuck, and no answer is guessed.
 */
final class FaultyBackendTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    enum Fault implements ManualBackend.Fault {
        THROWS,
        THROWS_AN_ERROR,
        GIVES_NO_STAGE,
        ANSWERS_NULL,
        NEVER_ANSWERS;

        @Override
        @SuppressWarnings("NullAway") // Breaks the contract on purpose.
        public <T> CompletionStage<T> answer() {
            return switch (this) {
                case THROWS -> throw new IllegalStateException("thrown by the test");
                case THROWS_AN_ERROR -> throw new AssertionError("thrown by the test");
                case GIVES_NO_STAGE -> null;
                case ANSWERS_NULL -> CompletableFuture.completedStage(null);
                case NEVER_ANSWERS -> new CompletableFuture<>();
            };
        }
    }

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final ManualBackend backend = new ManualBackend(server);
    private final Lease lease = lease(backend);

    private Lease lease(LeaseBackend over) {
        return Flockgate.provider(over, clock.environment())
                .lease(LeaseOptions.named("job").ttl(TTL).build());
    }

    @ParameterizedTest
    @EnumSource
    void everyCallIsUnknownAndMadeAgain(Fault fault) {
        backend.answerBy(fault);
        CompletionStage<Boolean> acquire = lease.acquire();
        clock.advance(TTL);
        assertThat(ScriptedLeaseTest.failure(acquire)).isInstanceOf(LeaseUnavailableException.class);
        backend.mend();
        CompletionStage<Boolean> again = lease.acquire();
        clock.advance(TTL);
        assertThat(ScriptedLeaseTest.now(again)).isTrue();

        ScriptedLeaseTest.now(lease.release());
        assertThat(ScriptedLeaseTest.now(lease.acquire())).isTrue();
        backend.answerBy(fault);
        clock.advance(Duration.ofSeconds(15));
        backend.mend();
        clock.advance(TTL);
        assertThat(lease.checkAlive()).as("renewed in the end").isTrue();

        backend.answerBy(fault);
        CompletionStage<Void> release = lease.release();
        clock.advance(Duration.ofSeconds(5));
        assertThat(ScriptedLeaseTest.failure(release)).isInstanceOf(LeaseReleaseException.class);
        backend.mend();
        clock.advance(Duration.ofSeconds(10));
        assertThat(ScriptedLeaseTest.now(lease(backend).acquire()))
                .as("free before its time")
                .isTrue();
        assertThat(clock.pendingTimers()).as("that of the lease that is held").isEqualTo(1);
    }

    @Test
    void aGrantLivesWithoutNewsOfLosses() {
        Lease deaf = lease(new ManualBackend(server) {
            @Override
            public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
                throw new IllegalStateException("thrown by the test");
            }
        });

        assertThat(ScriptedLeaseTest.now(deaf.acquire())).isTrue();

        clock.advance(TTL.multipliedBy(2));
        assertThat(deaf.checkAlive()).isTrue();
    }
}
