package io.flockgate.client.tck;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A back end that answers nothing, before a test has one. */
final class NoBackend implements LeaseBackend {
    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        return unavailable();
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return unavailable();
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return unavailable();
    }

    private static <T> CompletionStage<T> unavailable() {
        return CompletableFuture.failedStage(new LeaseUnavailableException("no back end", false, null));
    }

    @Override
    public void close() {}
}
