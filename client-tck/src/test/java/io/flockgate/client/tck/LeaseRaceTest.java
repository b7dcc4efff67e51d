package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that come at the same time from two threads, many times. No assertion depends on which of them is first. */
final class LeaseRaceTest {
    private static final int ROUNDS = 3_000;

    private final Server server = new Server();
    private final LeaseProvider leases = LeaseBackend.provider(server, LeaseEnvironment.system());
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    /** Runs both at the same time, and awaits both. */
    private void race(Runnable one, Runnable other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        Future<?> first = threads.submit(() -> atOnce(start, one));
        Future<?> second = threads.submit(() -> atOnce(start, other));
        first.get(20, TimeUnit.SECONDS);
        second.get(20, TimeUnit.SECONDS);
    }

    private static void atOnce(CyclicBarrier start, Runnable task) {
        try {
            start.await(20, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new IllegalStateException(broken);
        }
        task.run();
    }

    @Test
    void aReleaseBesideAGrantEndsIt() throws Exception {
        try (leases) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = leases.lease(LeaseOptions.of("job-" + round));
                CompletionStage<Boolean> acquire = lease.acquire();
                CompletableFuture<CompletionStage<Void>> release = new CompletableFuture<>();
                race(server::grant, () -> release.complete(lease.release()));

                release.join().toCompletableFuture().get(20, TimeUnit.SECONDS);
                assertThat(lease.checkAlive()).as("round %d", round).isFalse();
                assertThat(server.held).isEmpty();
                acquire.toCompletableFuture().get(20, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aCloseBesideAGrantEndsIt() throws Exception {
        try (leases) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = leases.lease(LeaseOptions.of("job-" + round));
                lease.acquire();
                CompletableFuture<CompletionStage<Void>> close = new CompletableFuture<>();
                race(server::grant, () -> close.complete(lease.closeAsync()));

                close.join().toCompletableFuture().get(20, TimeUnit.SECONDS);
                assertThat(lease.checkAlive()).as("round %d", round).isFalse();
                assertThat(server.held).isEmpty();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Grants when it is told to. */
    private static final class Server implements LeaseBackend {
        private final Set<String> held = ConcurrentHashMap.newKeySet();
        private volatile CompletableFuture<AcquireResult> asked = new CompletableFuture<>();
        private final AtomicInteger grants = new AtomicInteger();

        void grant() {
            String token = "grant-" + grants.incrementAndGet();
            held.add(token);
            asked.complete(new AcquireResult.Granted(token, OptionalLong.empty(), Duration.ofDays(1)));
        }

        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
            asked = new CompletableFuture<>();
            return asked;
        }

        @Override
        public CompletionStage<RenewResult> renew(GrantRequest request) {
            return CompletableFuture.completedStage(new RenewResult.Renewed(request.ttl()));
        }

        @Override
        public CompletionStage<ReleaseResult> release(GrantRequest request) {
            boolean released = held.remove(request.token());
            return CompletableFuture.completedStage(released ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD);
        }

        @Override
        public void close() {}
    }
}
