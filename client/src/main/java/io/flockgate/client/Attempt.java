package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.Reasons;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to become the holder.
 *
 * <ol>
 *   <li>It asks the back end, and records the moment before the request is sent.
 *   <li>If the answer is no, it asks again if the options say so, or ends empty. If the server may
 *       still hold something of this lease itself (see {@link Orphans}), the negative answer is not
 *       certain, and the attempt fails as unknown.
 *   <li>An immediate grant counts from that moment. A grant after a wait began later, so a renewal
 *       confirms it, and it counts from the sending of the renewal.
 *   <li>Without an answer in time, the attempt is abandoned, and its caller is notified that the
 *       result is unknown.
 *   <li>The grant of an abandoned attempt is released instead of handed out. Only then is the
 *       attempt settled, and the next may begin. If no answer ever arrives, the attempt is settled
 *       once the server must have ended such a grant itself.
 * </ol>
 *
 * The state of {@link ManagedLease} decides which comes first, a grant or the abandonment.
 */
final class Attempt {
    private final ManagedLease lease;
    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final Duration wait;
    private final CompletableFuture<Optional<Grant>> result = new CompletableFuture<>();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> abandoned = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private final AtomicInteger retriesLeft;
    private volatile boolean idle;
    private final LatestSubscription timeout = new LatestSubscription();
    private final LatestSubscription guard = new LatestSubscription();

    Attempt(ManagedLease lease, LeaseSetup setup, Duration wait) {
        this.lease = lease;
        this.setup = setup;
        this.environment = setup.environment();
        this.wait = wait;
        this.retriesLeft = new AtomicInteger(wait.isZero() ? setup.options().acquireRetries() : 0);
    }

    /** The result for the caller of the acquire. */
    CompletableFuture<Optional<Grant>> result() {
        return result;
    }

    /**
     * Completes when nothing of this attempt is left; fails if a late grant could not be released.
     */
    CompletableFuture<Void> settled() {
        return settled;
    }

    void ask() {
        idle = false;
        if (abandoned.isDone()) {
            settle();
            return;
        }
        Moment sent = environment.now();
        boolean orphans = setup.orphans().any(sent);
        timeout.replace(environment.scheduler().after(wait.plus(setup.options().requestTimeout()), this::timedOut));
        Callbacks.askBackend(
                () -> setup.backend().acquire(setup.acquireRequest(wait, abandoned)),
                answer -> {
                    timeout.cancel();
                    answered(sent, orphans, answer);
                },
                failure -> {
                    timeout.cancel();
                    failed(failure);
                });
    }

    private void answered(Moment sent, boolean orphans, AcquireResult answer) {
        if (!(answer instanceof Granted granted)) {
            contended(orphans);
        } else if (abandoned.isDone()) {
            giveBack(granted, null);
        } else if (sentLongAgo(sent)) {
            confirm(granted, environment.now());
        } else {
            handOut(granted, sent);
        }
    }

    private boolean sentLongAgo(Moment sent) {
        return !wait.isZero()
                && environment.now().since(sent).compareTo(setup.options().renewInterval()) > 0;
    }

    private void contended(boolean orphans) {
        if (abandoned.isDone()) {
            settle();
        } else if (retriesLeft.getAndDecrement() > 0) {
            idle = true;
            timeout.replace(environment.scheduler().after(retryPause(), this::ask));
        } else if (orphans) {
            fail(new LeaseUnavailableException("the server may still hold an earlier grant of this lease", true, null));
        } else {
            settle();
            complete(Optional.empty(), null);
        }
    }

    private Duration retryPause() {
        return Backoff.varied(setup.options().retryDelay(), environment.random());
    }

    /** Renews a grant that waited in the queue, so that its start time is known. */
    private void confirm(Granted granted, Moment grantedAt) {
        Moment sent = environment.now();
        Callbacks.askBackend(
                environment,
                setup.options().requestTimeout(),
                () -> setup.renew(setup.grantRequest(granted.token())),
                answer -> confirmed(granted, sent, answer),
                failure -> confirmAgain(granted, grantedAt, failure));
    }

    private void confirmed(Granted granted, Moment sent, RenewResult answer) {
        if (!(answer instanceof Renewed renewed)) {
            fail(new LeaseUnavailableException("the grant ended before it could be confirmed", false, null));
        } else if (abandoned.isDone()) {
            giveBack(granted, null);
        } else {
            handOut(new Granted(granted.token(), granted.fence(), renewed.ttl()), sent);
        }
    }

    private void confirmAgain(Granted granted, Moment grantedAt, Throwable failure) {
        Duration pause = setup.timing().retryPause(1);
        boolean inTime = environment
                        .now()
                        .since(grantedAt)
                        .plus(pause)
                        .compareTo(setup.timing().validity())
                < 0;
        if (inTime && !abandoned.isDone()) {
            timeout.replace(environment.scheduler().after(pause, () -> confirm(granted, grantedAt)));
        } else {
            giveBack(granted, unavailable("the grant could not be confirmed", failure));
        }
    }

    private void handOut(Granted granted, Moment sent) {
        ManagedGrant grant = new ManagedGrant(setup, granted, sent, lease, result);
        if (!grant.isAliveUnreported()) {
            giveBack(granted, new LeaseUnavailableException("the answer came too late to be used", false, null));
        } else if (lease.becomeHolder(this, grant)) {
            settled.complete(null);
            Callbacks.run(environment, () -> {
                result.complete(Optional.of(grant));
                grant.markHandedOut();
            });
        } else {
            giveBack(granted, null);
        }
    }

    /**
     * Releases a grant that must not be used, and then ends the attempt.
     *
     * @param failure the failure for the caller; null if the attempt was abandoned, which
     *     notifies the caller itself
     */
    private void giveBack(Granted granted, @Nullable LeaseException failure) {
        Moment serverEnd = environment.now().plus(setup.timing().longestHold());
        CompletableFuture<Void> given = GiveBack.start(setup, setup.grantRequest(granted.token()), serverEnd);
        Callbacks.ask(() -> given, done -> givenBack(null, failure), unconfirmed -> givenBack(unconfirmed, failure));
    }

    private void givenBack(@Nullable Throwable unconfirmed, @Nullable LeaseException failure) {
        settle(unconfirmed);
        if (failure != null) {
            complete(Optional.empty(), failure);
        }
    }

    private void failed(Throwable failure) {
        boolean expected = failure instanceof LeaseException
                || failure instanceof LeaseConfigException
                || failure instanceof LeaseClosedException;
        RuntimeException told = expected ? (RuntimeException) failure : unavailable("the back end failed", failure);
        if (told instanceof LeaseUnavailableException unknown && unknown.mayHold()) {
            Subscription unused =
                    setup.orphans().add(environment.now().plus(setup.timing().longestHold()));
        }
        fail(told);
    }

    private LeaseUnavailableException unavailable(String what, Throwable cause) {
        return new LeaseUnavailableException(what + ": " + Reasons.of(cause), true, cause);
    }

    private void timedOut() {
        Duration time = wait.plus(setup.options().requestTimeout());
        String words = "no answer from " + setup.backend().servers() + " " + Seconds.within(time);
        lease.abandon(this, new LeaseUnavailableException(words, true, null));
    }

    /**
     * Called by the lease when a grant of this attempt is no longer wanted.
     *
     * @param failure the failure for the caller of the acquire; null if the caller gets empty
     */
    void abandon(@Nullable RuntimeException failure) {
        guard.replace(environment.scheduler().after(wait.plus(setup.timing().longestHold()), this::settle));
        complete(Optional.empty(), failure);
        abandoned.complete(null);
        if (idle) {
            settle();
        }
    }

    private void fail(RuntimeException failure) {
        settle();
        complete(Optional.empty(), failure);
    }

    private void settle() {
        settle(null);
    }

    /** Frees the lease for the next attempt, then completes the future that callers wait on. */
    private void settle(@Nullable Throwable unconfirmed) {
        guard.close();
        timeout.close();
        lease.settled(this);
        if (unconfirmed != null) {
            settled.completeExceptionally(unconfirmed);
        } else {
            settled.complete(null);
        }
    }

    private void complete(Optional<Grant> value, @Nullable RuntimeException failure) {
        if (!decided.compareAndSet(false, true)) {
            return;
        }
        if (failure instanceof LeaseUnavailableException unknown) {
            setup.log().claimFailed(setup.options().name(), unknown);
        }
        Callbacks.run(environment, () -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else {
                result.complete(value);
            }
        });
    }
}
