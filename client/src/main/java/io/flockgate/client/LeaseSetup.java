package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The parts of one lease that never change. */
record LeaseSetup(
        LeaseBackend backend,
        LeaseEnvironment environment,
        LeaseLog log,
        LeaseOptions options,
        String owner,
        Orphans orphans) {
    Observing observing() {
        return new Observing(environment);
    }

    LeaseTiming timing() {
        return options.timing();
    }

    AcquireRequest acquireRequest(Duration wait, CompletableFuture<?> abandoned) {
        return new AcquireRequest(
                options.name(),
                options.limit(),
                owner,
                options.ttl(),
                wait,
                options.requestTimeout(),
                abandoned.minimalCompletionStage());
    }

    CompletionStage<RenewResult> renew(GrantRequest request) {
        return observing().renew(backend, request);
    }

    GrantRequest grantRequest(String token) {
        return new GrantRequest(options.name(), options.limit(), owner, token, options.ttl(), options.requestTimeout());
    }
}
