package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leases over a back end that breaks its contract: no state is stuck, and no answer is guessed. */
final class FaultyBackendTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    enum Fault {
        NONE,
        THROWS,
        THROWS_AN_ERROR,
        GIVES_NO_STAGE,
        ANSWERS_NULL,
        NEVER_ANSWERS
    }

    private final ManualEnvironment clock = new ManualEnvironment();
    private final Faulty backend = new Faulty(new MemoryBackend(clock.environment()));
    private final Lease lease = LeaseBackend.provider(backend, clock.environment())
            .lease(LeaseOptions.named("job").ttl(TTL).build());

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void anAcquireIsUnknown(Fault fault) {
        backend.fault = fault;
        CompletionStage<Boolean> acquire = lease.acquire();
        clock.advance(TTL);

        assertThat(ScriptedLeaseTest.failure(acquire)).isInstanceOf(LeaseUnavailableException.class);
        backend.fault = Fault.NONE;
        CompletionStage<Boolean> next = lease.acquire();
        clock.advance(TTL);
        assertThat(ScriptedLeaseTest.now(next)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aRenewalIsSentAgain(Fault fault) {
        assertThat(ScriptedLeaseTest.now(lease.acquire())).isTrue();
        backend.fault = fault;
        clock.advance(Duration.ofSeconds(15));
        backend.fault = Fault.NONE;
        clock.advance(TTL);

        assertThat(lease.checkAlive()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aReleaseIsSentAgain(Fault fault) {
        assertThat(ScriptedLeaseTest.now(lease.acquire())).isTrue();
        backend.fault = fault;
        CompletionStage<Void> release = lease.release();
        clock.advance(Duration.ofSeconds(5));
        assertThat(ScriptedLeaseTest.failure(release)).isInstanceOf(LeaseReleaseException.class);
        backend.fault = Fault.NONE;
        clock.advance(Duration.ofSeconds(10));

        CompletionStage<Optional<Grant>> next = LeaseBackend.provider(backend, clock.environment())
                .lease(LeaseOptions.named("job").ttl(TTL).build())
                .acquireWithToken();
        assertThat(ScriptedLeaseTest.now(next)).as("free before its time").isPresent();
        assertThat(clock.pendingTimers())
                .as("the two of the grant that is held")
                .isEqualTo(2);
    }

    @Test
    void aGrantLivesWithoutNewsOfLosses() {
        backend.deaf = true;

        assertThat(ScriptedLeaseTest.now(lease.acquire())).isTrue();

        clock.advance(TTL.multipliedBy(2));
        assertThat(lease.checkAlive()).isTrue();
    }

    private static final class Faulty implements LeaseBackend {
        private final LeaseBackend server;
        private Fault fault = Fault.NONE;
        private boolean deaf;

        private Faulty(LeaseBackend server) {
            this.server = server;
        }

        @SuppressWarnings("NullAway") // Breaks the contract on purpose.
        private <T> CompletionStage<T> faulty(CompletionStage<T> answer) {
            return switch (fault) {
                case NONE -> answer;
                case THROWS -> throw new IllegalStateException("thrown by the test");
                case THROWS_AN_ERROR -> throw new AssertionError("thrown by the test");
                case GIVES_NO_STAGE -> null;
                case ANSWERS_NULL -> CompletableFuture.completedStage(null);
                case NEVER_ANSWERS -> new CompletableFuture<>();
            };
        }

        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
            return fault == Fault.NONE ? server.acquire(request) : faulty(new CompletableFuture<>());
        }

        @Override
        public CompletionStage<RenewResult> renew(GrantRequest request) {
            return fault == Fault.NONE ? server.renew(request) : faulty(new CompletableFuture<>());
        }

        @Override
        public CompletionStage<ReleaseResult> release(GrantRequest request) {
            return fault == Fault.NONE ? server.release(request) : faulty(new CompletableFuture<>());
        }

        @Override
        public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
            if (deaf) {
                throw new IllegalStateException("thrown by the test");
            }
            return server.onLoss(grant, listener);
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
