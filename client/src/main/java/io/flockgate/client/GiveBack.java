package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives one grant back to the server.
 *
 * <ol>
 *   <li>It sends a release, and sends it again after a pause that grows, until the server has answered.
 *   <li>After the request timeout the caller hears that the release is not confirmed; the tries go on.
 *   <li>The tries end when the server has ended the grant itself.
 * </ol>
 *
 * A release names the token. So it never touches a later grant, however late it comes.
 */
final class GiveBack {
    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final GrantRequest request;
    private final Moment serverEnd;
    private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
    private volatile Subscription timeout = () -> {};
    private int tries;

    private GiveBack(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        this.setup = setup;
        this.environment = setup.environment();
        this.request = request;
        this.serverEnd = serverEnd;
    }

    /** Begins. The future fails with {@link LeaseReleaseException} if no answer comes within the request timeout. */
    static CompletableFuture<Void> start(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        GiveBack giveBack = new GiveBack(setup, request, serverEnd);
        Subscription timeout = giveBack.environment
                .scheduler()
                .after(setup.options().requestTimeout(), () -> giveBack.unconfirmed(null));
        giveBack.timeout = timeout;
        giveBack.send();
        return giveBack.confirmed;
    }

    private void send() {
        tries++;
        Callbacks.ask(
                () -> setup.backend().release(request),
                result -> {
                    timeout.close();
                    confirmed.complete(null);
                },
                this::sendAgain);
    }

    private void sendAgain(Throwable failure) {
        Duration pause = setup.timing().retryPause(tries);
        Duration left = serverEnd.since(environment.now());
        if (pause.compareTo(left) < 0) {
            environment.scheduler().after(pause, this::send);
        } else {
            unconfirmed(failure);
        }
    }

    private void unconfirmed(@Nullable Throwable cause) {
        confirmed.completeExceptionally(new LeaseReleaseException(
                "the release of " + request.name() + " is not confirmed; the slot is free by " + serverEnd.instant(),
                serverEnd.instant(),
                cause));
    }
}
