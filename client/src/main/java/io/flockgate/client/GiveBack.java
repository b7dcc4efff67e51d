package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.http.Reasons;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Releases one grant at the server.
 *
 * <ol>
 *   <li>It sends a release, and repeats it after growing pauses until the server answers. An
 *       attempt without an answer within the request timeout has failed.
 *   <li>After the request timeout the caller is notified that the release is not confirmed; the
 *       attempts continue.
 *   <li>The attempts end when the server has ended the grant itself, or the client is closed.
 * </ol>
 *
 * A release names the token, so it never affects a later grant, however late it arrives. Until the
 * release is confirmed, the grant counts among the {@link Orphans} of its lease.
 */
final class GiveBack {
    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final GrantRequest request;
    private final Moment serverEnd;
    private final Subscription orphan;
    private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
    private final LatestSubscription patience = new LatestSubscription();
    private int tries;

    private GiveBack(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        this.setup = setup;
        this.environment = setup.environment();
        this.request = request;
        this.serverEnd = serverEnd;
        this.orphan = setup.orphans().add(serverEnd);
    }

    /**
     * Starts the release. The future fails with {@link LeaseReleaseException} if no answer comes
     * within the request timeout.
     */
    static CompletableFuture<Void> start(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        GiveBack giveBack = new GiveBack(setup, request, serverEnd);
        giveBack.begin();
        return giveBack.confirmed;
    }

    /** Starts after the safety margin, because a last write of the work may still be in transit. */
    static void startAfterMargin(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        GiveBack giveBack = new GiveBack(setup, request, serverEnd);
        setup.environment().scheduler().after(setup.timing().margin(), giveBack::begin);
    }

    private void begin() {
        patience.replace(
                environment.scheduler().after(setup.options().requestTimeout(), () -> unconfirmed(noAnswer(), null)));
        send();
    }

    private void send() {
        tries++;
        Callbacks.askBackend(
                environment,
                setup.options().requestTimeout(),
                () -> setup.backend().release(request),
                result -> {
                    patience.close();
                    orphan.close();
                    confirmed.complete(null);
                },
                this::sendAgain);
    }

    private void sendAgain(Throwable failure) {
        Duration pause = setup.timing().retryPause(tries);
        Duration left = serverEnd.since(environment.now());
        if (pause.compareTo(left) < 0 && !(failure instanceof LeaseClosedException)) {
            environment.scheduler().after(pause, this::send);
        } else {
            patience.close();
            unconfirmed(Reasons.of(failure), failure);
        }
    }

    private String noAnswer() {
        return "no answer from " + setup.backend().serverOf(request);
    }

    private void unconfirmed(String why, @Nullable Throwable cause) {
        confirmed.completeExceptionally(new LeaseReleaseException(
                "the release of " + request.name() + " is not confirmed (" + why + "); the slot is free by "
                        + serverEnd.instant(),
                serverEnd.instant(),
                cause));
    }
}
