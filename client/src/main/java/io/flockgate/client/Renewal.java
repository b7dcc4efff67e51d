package io.flockgate.client;

import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.concurrent.Seconds;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one grant alive.
 *
 * <ol>
 *   <li>It sends a renewal every interval, varied by a tenth, counted from the sending of the last
 *       confirmed request.
 *   <li>Only one renewal is under way. Its answer must come within the request timeout;
 *       otherwise the result is unknown.
 *   <li>If renewed, the grant continues, counted from the sending. If not held, the grant is lost
 *       at once. If unknown, the renewal is sent again after a growing pause.
 *   <li>A separate timer ends the grant at its deadline, whatever a renewal does meanwhile.
 *   <li>An answer that arrives after its timeout still counts, from the time its request was sent.
 * </ol>
 */
final class Renewal {
    private static final Logger LOG = System.getLogger("io.flockgate.client");

    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final ManagedGrant grant;
    private final LossListener losses;

    private final LatestSubscription next = new LatestSubscription();
    private final LatestSubscription deadline = new LatestSubscription();
    private final LatestSubscription news = new LatestSubscription();

    /** Guards all fields below. Only assignments are made under it. */
    private final Object lock = new Object();

    private boolean stopped;
    private int unknowns;
    private @Nullable Call underWay;
    private @Nullable Moment lastSent;
    private @Nullable Throwable lastFailure;

    Renewal(LeaseSetup setup, ManagedGrant grant, LossListener losses) {
        this.setup = setup;
        this.environment = setup.environment();
        this.grant = grant;
        this.losses = losses;
    }

    void start(Moment sent) {
        synchronized (lock) {
            lastSent = sent;
        }
        scheduleNext(interval().minus(environment.now().since(sent)));
        watchDeadline();
        try {
            news.replace(setup.backend().onLoss(grant.request(), this::end));
        } catch (RuntimeException | Error thrown) {
            LOG.log(Level.WARNING, "no news of losses of " + grant, thrown);
        }
    }

    /**
     * Ends all timers. The answer to a renewal that is under way still reaches {@link #answered}.
     */
    void stop() {
        Call call;
        synchronized (lock) {
            stopped = true;
            call = underWay;
            underWay = null;
        }
        next.close();
        deadline.close();
        news.close();
        if (call != null) {
            call.end();
        }
    }

    /** Sends no further renewal, so that the grant ends at its deadline. */
    void letRunOut() {
        synchronized (lock) {
            stopped = true;
        }
        next.close();
    }

    /** The moment the last request was sent, answered or not. */
    Moment lastSent() {
        synchronized (lock) {
            return lastSent != null ? lastSent : environment.now();
        }
    }

    /** The failure of the last renewal; null if it was confirmed, or none was sent. */
    @Nullable
    Throwable lastFailure() {
        synchronized (lock) {
            return lastFailure;
        }
    }

    /** One renewal that was sent. */
    private static final class Call {
        private final Moment sent;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final LatestSubscription timeout = new LatestSubscription();

        Call(Moment sent) {
            this.sent = sent;
        }

        void end() {
            timeout.close();
            done.complete(null);
        }
    }

    /**
     * Renews at once, or joins the renewal that is under way. Completes when its result is known,
     * or is known to be missing.
     */
    CompletableFuture<Void> renewNow() {
        if (!grant.isAlive()) {
            return CompletableFuture.completedFuture(null);
        }
        Call call = new Call(environment.now());
        synchronized (lock) {
            if (underWay != null) {
                return underWay.done;
            }
            if (stopped) {
                return CompletableFuture.completedFuture(null);
            }
            underWay = call;
            lastSent = call.sent;
        }
        next.cancel();
        send(call);
        return call.done;
    }

    private void send(Call call) {
        call.timeout.replace(
                environment.scheduler().after(setup.options().requestTimeout(), () -> unknown(call, late())));
        Callbacks.askBackend(
                () -> setup.renew(grant.request()),
                result -> answered(result, call),
                failure -> unknown(call, failure));
    }

    private LeaseUnavailableException late() {
        String words = "no answer from " + setup.backend().serverOf(grant.request()) + " "
                + Seconds.within(setup.options().requestTimeout());
        return new LeaseUnavailableException(words, true, null);
    }

    private void answered(RenewResult result, Call call) {
        if (result instanceof Renewed renewed) {
            if (grant.extend(call.sent, renewed.ttl())) {
                confirmed(call);
            } else {
                finish(call);
                losses.renewedTooLate(grant);
            }
        } else {
            finish(call);
            end(Loss.of(LostReason.RENEWAL_REJECTED, "the server answers that this grant is not held any more"));
        }
    }

    private void confirmed(Call call) {
        synchronized (lock) {
            unknowns = 0;
            lastFailure = null;
        }
        finish(call);
        watchDeadline();
        scheduleNext(interval().minus(environment.now().since(call.sent)));
    }

    /** Handles a missing or unusable answer: asks again while the grant is alive. */
    private void unknown(Call call, Throwable failure) {
        Duration pause;
        synchronized (lock) {
            if (underWay != call) {
                return;
            }
            unknowns++;
            lastFailure = failure;
            pause = setup.timing().retryPause(unknowns);
        }
        finish(call);
        setup.log().renewalFailed(grant.request().name(), grant.remaining(), failure);
        scheduleNext(pause);
    }

    private void finish(Call call) {
        synchronized (lock) {
            if (underWay == call) {
                underWay = null;
            }
        }
        call.end();
    }

    private void end(Loss loss) {
        if (grant.end()) {
            losses.lost(grant, loss);
        }
    }

    private Duration interval() {
        double factor = 0.9 + 0.2 * environment.random().nextDouble();
        return Duration.ofNanos((long) (setup.options().renewInterval().toNanos() * factor));
    }

    private void scheduleNext(Duration delay) {
        Duration atLeastZero = LeaseTiming.max(Duration.ZERO, delay);
        next.replace(environment.scheduler().after(atLeastZero, this::due));
    }

    private void due() {
        CompletableFuture<Void> unused = renewNow();
    }

    /** Checks the deadline when it is due, because renewals may have moved it meanwhile. */
    private void watchDeadline() {
        if (grant.isAlive()) {
            deadline.replace(environment.scheduler().after(grant.untilEnd(), this::watchDeadline));
        }
    }
}
