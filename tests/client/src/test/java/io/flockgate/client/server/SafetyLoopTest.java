package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.PATIENCE;
import static io.flockgate.client.server.TestLeases.assertUnavailable;
import static io.flockgate.client.server.TestLeases.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The scenarios in which two clients might hold one key, many times each, for a busy machine. */
@Tag("process")
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class SafetyLoopTest {
    private static final int ROUNDS = Integer.getInteger("rounds", 200);
    private static final Duration WORK = Duration.ofMillis(500);
    private static final Duration SHORT = Duration.ofSeconds(3);

    private static LeaseOptions options(String name) {
        return LeaseOptions.named(name)
                .ttl(Duration.ofMinutes(2))
                .requestTimeout(PATIENCE)
                .build();
    }

    @Test
    void aClosedProviderKeepsTheSlotOfRunningWork() throws Exception {
        URI uri = SharedGateway.uri(SharedGateway.get());
        for (int round = 0; round < ROUNDS; round++) {
            LeaseOptions job = options("closing-" + round);
            AtomicBoolean working = new AtomicBoolean();
            AtomicBoolean overlapped = new AtomicBoolean();
            CountDownLatch began = new CountDownLatch(1);
            LeaseProvider one = Flockgate.connect(uri);
            try (LeaseProvider two = Flockgate.connect(uri)) {
                CompletableFuture<Boolean> first =
                        run(() -> one.runExclusiveWithoutResult(job, Duration.ZERO, grant -> {
                            working.set(true);
                            began.countDown();
                            workThroughInterrupts();
                            working.set(false);
                        }));
                began.await();
                CompletableFuture<Boolean> second =
                        run(() -> two.runExclusiveWithoutResult(job, PATIENCE, grant -> overlapped.set(working.get())));
                one.close();
                assertThat(get(second)).as("the second has run").isTrue();
                get(first.exceptionally(interrupted -> true));
            }
            assertThat(overlapped).as("both ran at a time in round " + round).isFalse();
        }
    }

    private static void workThroughInterrupts() {
        long end = System.nanoTime() + WORK.toNanos();
        while (System.nanoTime() - end < 0) {
            boolean unused = Thread.interrupted();
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private interface Call<T> {
        T call() throws Exception;
    }

    private static <T> CompletableFuture<T> run(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                result.complete(call.call());
            } catch (Exception failed) {
                result.completeExceptionally(failed);
            }
        });
        return result;
    }

    @Test
    void aLeaseOfThreeSecondsOutlivesOneHungServer() throws Exception {
        URI server = SharedGateway.uri(SharedGateway.get());
        for (int round = 0; round < ROUNDS; round++) {
            try (FaultyLink hung = FaultyLink.to(server.getPort());
                    FaultyLink healthy = FaultyLink.to(server.getPort());
                    LeaseProvider provider =
                            SharedGateway.warm(Flockgate.connect(hung.uri("flockgate"), healthy.uri("flockgate")))) {
                Lease lease = provider.lease(
                        LeaseOptions.named("short-loop").ttl(SHORT).build());
                Grant grant = get(lease.acquireWithToken()).orElseThrow();

                hung.hush();
                hung.blackHole();

                TestLeases.awaitRenewal(lease, SHORT);
                assertThat(lease.current()).as("round " + round).contains(grant);
                get(lease.release());
            }
        }
    }

    @Test
    void aClaimThatTimedOutHoldsNothingOnceTheServerGoesOn() throws Exception {
        try (GatewayProcess gateway = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(SharedGateway.uri(gateway)));
                LineClient observer = gateway.client()) {
            for (int round = 0; round < ROUNDS; round++) {
                String name = "ghost-" + round;
                Lease lease = provider.lease(LeaseOptions.named(name)
                        .ttl(Duration.ofMinutes(10))
                        .requestTimeout(Duration.ofSeconds(1))
                        .build());
                // The connection is open, so the claim itself is sent.
                LeaseProvider unused = SharedGateway.warm(provider);
                gateway.pause();
                assertUnavailable(lease.acquire(), true);
                gateway.resume();
                Polling.until("the ghost is gone", () -> !TestLeases.isHeld(observer, name));
            }
        }
    }
}
