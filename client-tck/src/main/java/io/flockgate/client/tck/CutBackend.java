package io.flockgate.client.tck;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A back end whose way to the server can be cut: every call then fails with an unknown result, and no news comes. */
final class CutBackend implements LeaseBackend {
    private final LeaseBackend backend;
    private volatile boolean cut;

    CutBackend(LeaseBackend backend) {
        this.backend = backend;
    }

    void cut() {
        cut = true;
    }

    void mend() {
        cut = false;
    }

    private <T> CompletionStage<T> unlessCut(Supplier<CompletionStage<T>> call) {
        return cut
                ? CompletableFuture.failedStage(new LeaseUnavailableException("cut by the test", true, null))
                : call.get();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        return unlessCut(() -> backend.acquire(request));
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return unlessCut(() -> backend.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return unlessCut(() -> backend.release(request));
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        return backend.onLoss(grant, loss -> {
            if (!cut) {
                listener.accept(loss);
            }
        });
    }

    @Override
    public void check(LeaseOptions options) {
        backend.check(options);
    }

    @Override
    public void close() {
        backend.close();
    }
}
