package io.flockgate.client.spring;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import io.flockgate.client.tck.ManualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server in memory for several processes, on a clock that the test moves. It can be cut off, and be late. */
final class FakeServer implements LeaseBackend {
    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend memory = new MemoryBackend(clock.environment());
    private final List<Duration> ttls = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> waits = new LinkedBlockingQueue<>();
    private final BlockingQueue<Runnable> releases = new LinkedBlockingQueue<>();
    private volatile boolean cut;
    private volatile boolean lateReleases;

    /** A process of its own. */
    LeaseProvider process() {
        return LeaseBackend.provider(this, clock.environment());
    }

    FlockgateLockRegistry registry() {
        return new FlockgateLockRegistry(process());
    }

    ManualEnvironment clock() {
        return clock;
    }

    /** Nobody reaches the server any more. */
    void cut() {
        cut = true;
    }

    void mend() {
        cut = false;
    }

    /** The process stalls until its leases have ended, and renews nothing meanwhile. */
    void expireAll() {
        clock.stall(Duration.ofDays(1));
        clock.advance(Duration.ofSeconds(1));
    }

    void revoke(String name) {
        memory.revoke(name);
    }

    void delayReleases() {
        lateReleases = true;
    }

    /** Waits for a release, and lets the server see it. */
    Runnable nextRelease() throws InterruptedException {
        return waitFor(releases);
    }

    /** Waits until a claim queues at the server. */
    void awaitQueued() throws InterruptedException {
        waitFor(waits);
    }

    private static <T> T waitFor(BlockingQueue<T> queue) throws InterruptedException {
        @Nullable T next = queue.poll(30, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing happened");
        }
        return next;
    }

    /** The times to live that were asked for. */
    List<Duration> ttls() {
        return ttls;
    }

    private <T> CompletionStage<T> unlessCut(Supplier<CompletionStage<T>> call) {
        return cut
                ? CompletableFuture.failedStage(new LeaseUnavailableException("cut by the test", true, null))
                : call.get();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        ttls.add(request.ttl());
        CompletionStage<AcquireResult> answer = unlessCut(() -> memory.acquire(request));
        if (!answer.toCompletableFuture().isDone()) {
            waits.add(request.name());
        }
        return answer;
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return unlessCut(() -> memory.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        if (!lateReleases) {
            return unlessCut(() -> memory.release(request));
        }
        CompletableFuture<ReleaseResult> late = new CompletableFuture<>();
        releases.add(() -> memory.release(request).thenAccept(late::complete));
        return late;
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        return memory.onLoss(grant, listener);
    }

    @Override
    public void close() {}
}
