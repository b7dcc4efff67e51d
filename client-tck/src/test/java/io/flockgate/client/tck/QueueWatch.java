package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A back end that tells when a claim has joined the queue. */
final class QueueWatch implements LeaseBackend {
    private final LeaseBackend backend;
    private final Semaphore queued = new Semaphore(0);
    private final Semaphore releases = new Semaphore(0);

    QueueWatch(LeaseBackend backend) {
        this.backend = backend;
    }

    /** Waits until one more claim has joined the queue. */
    void await() throws InterruptedException {
        assertThat(queued.tryAcquire(20, TimeUnit.SECONDS))
                .as("a claim has joined the queue")
                .isTrue();
    }

    /** Waits until one more release was sent. */
    void awaitRelease() throws InterruptedException {
        assertThat(releases.tryAcquire(20, TimeUnit.SECONDS))
                .as("a release was sent")
                .isTrue();
    }

    /** The number of releases that were sent and not awaited. */
    int releases() {
        return releases.availablePermits();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        CompletionStage<AcquireResult> answer = backend.acquire(request);
        if (!answer.toCompletableFuture().isDone()) {
            queued.release();
        }
        return answer;
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return backend.renew(request);
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        CompletionStage<ReleaseResult> answer = backend.release(request);
        releases.release();
        return answer;
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        return backend.onLoss(grant, listener);
    }

    @Override
    public void check(LeaseOptions options) {
        backend.check(options);
    }

    @Override
    public void close() {}
}
