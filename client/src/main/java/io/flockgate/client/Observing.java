package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseObserver.AcquireOutcome;
import io.flockgate.client.LeaseObserver.RenewOutcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Notifies the observer of an environment, and shields the client from its exceptions. */
record Observing(LeaseEnvironment environment) {
    private static final Logger LOG = System.getLogger("io.flockgate.client");

    /** Reports the result of an attempt that starts now. */
    void attempt(String name, CompletableFuture<Optional<Grant>> result) {
        Moment begun = environment.now();
        Callbacks.ask(
                () -> result,
                grant -> acquired(name, grant.isPresent() ? AcquireOutcome.GRANTED : AcquireOutcome.EMPTY, begun),
                failure -> acquired(name, outcome(failure), begun));
    }

    private static AcquireOutcome outcome(Throwable failure) {
        return failure instanceof LeaseUnavailableException ? AcquireOutcome.UNKNOWN : AcquireOutcome.REFUSED;
    }

    private void acquired(String name, AcquireOutcome outcome, Moment begun) {
        Duration time = environment.now().since(begun);
        report(observer -> observer.acquired(name, outcome, time));
    }

    /** Sends a renewal, and reports its outcome. */
    CompletionStage<RenewResult> renew(LeaseBackend backend, GrantRequest request) {
        Moment sent = environment.now();
        CompletableFuture<RenewResult> result = new CompletableFuture<>();
        Callbacks.ask(
                () -> backend.renew(request),
                answer -> {
                    boolean renewed = answer instanceof RenewResult.Renewed;
                    renewed(request.name(), renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD, sent);
                    result.complete(answer);
                },
                failure -> {
                    renewed(request.name(), RenewOutcome.UNKNOWN, sent);
                    result.completeExceptionally(failure);
                });
        return result;
    }

    private void renewed(String name, RenewOutcome outcome, Moment sent) {
        Duration time = environment.now().since(sent);
        report(observer -> observer.renewed(name, outcome, time));
    }

    void began(String name, Grant grant) {
        report(observer -> observer.began(name, grant));
    }

    void ended(String name, Grant grant) {
        report(observer -> observer.ended(name, grant));
    }

    void lost(LostEvent event) {
        report(observer -> observer.ended(event.name(), event.grant()));
        report(observer -> observer.lost(event));
    }

    void handlerFailed(String name, Throwable failure) {
        report(observer -> observer.handlerFailed(name, failure));
    }

    private void report(Consumer<LeaseObserver> news) {
        try {
            news.accept(environment.observer());
        } catch (RuntimeException | Error thrown) {
            LOG.log(Level.ERROR, "an observer of leases failed", thrown);
        }
    }
}
