package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simultaneous calls from two threads, many times. No assertion depends on which of them is first.
 */
final class LeaseRaceTest {
    private static final int ROUNDS = 3_000;

    private final MemoryBackend server = new MemoryBackend(LeaseEnvironment.system());
    private final ManualBackend backend = new ManualBackend(server);
    private final LeaseProvider leases = Flockgate.provider(backend, LeaseEnvironment.system());
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReleaseOrCloseBesideAGrantEndsIt(boolean closes) throws Exception {
        try (leases) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = leases.lease(LeaseOptions.of("job-" + round));
                backend.holdCalls();
                CompletionStage<Boolean> acquire = lease.acquire();
                AtomicBoolean begun = new AtomicBoolean();
                Future<?> sent = thread.submit(() -> {
                    begun.set(true);
                    backend.sendHeldCalls();
                });
                while (!begun.get()) {
                    Thread.onSpinWait();
                }
                CompletionStage<Void> end = closes ? lease.closeAsync() : lease.release();

                end.toCompletableFuture().get(20, TimeUnit.SECONDS);
                Object unused = sent.get(20, TimeUnit.SECONDS);
                assertThat(lease.checkAlive()).as("round %d", round).isFalse();
                assertThat(server).as("no name is in use").hasToString("memory []");
                assertThat(acquire.handle((held, failure) -> closes || failure == null)
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS))
                        .isTrue();
            }
        } finally {
            thread.shutdownNow();
        }
    }
}
