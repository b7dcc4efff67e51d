package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.http.Reasons;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives one grant back to the server.
 *
 * <ol>
 *   <li>It sends a release, and sends it again after a pause that grows, until the server has
 *       answered. A try without an answer within the request timeout has failed.
 *   <li>After the request timeout the caller hears that the release is not confirmed; the tries go
 *       on.
 *   <li>The tries end when the server has ended the grant itself, or the client is closed.
 * </ol>
 *
 * A release names the token. So it never touches a later grant, however late it comes. Until the
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
     * Begins. The future fails with {@link LeaseReleaseException} if no answer comes within the
     * request timeout.
     */
    static CompletableFuture<Void> start(LeaseSetup setup, GrantRequest request, Moment serverEnd) {
        GiveBack giveBack = new GiveBack(setup, request, serverEnd);
        giveBack.begin();
        return giveBack.confirmed;
    }

    /** Begins after the safety margin, because a last write of the work may be on its way. */
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
        return "no answer from " + setup.backend().servers();
    }

    private void unconfirmed(String why, @Nullable Throwable cause) {
        confirmed.completeExceptionally(new LeaseReleaseException(
                "the release of " + request.name() + " is not confirmed (" + why + "); the slot is free by "
                        + serverEnd.instant(),
                serverEnd.instant(),
                cause));
    }
}
