package io.flockgate.client;

import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one grant alive.
 *
 * <ol>
 *   <li>It sends a renewal every interval, varied by a tenth, counted from the sending of the last confirmed request.
 *   <li>One renewal is under way at a time. Its answer must come within the request timeout; otherwise the result is unknown.
 *   <li>Renewed: the grant lives on, counted from the sending. Not held: the grant is lost at once. Unknown: the renewal is sent again
 *       after a pause that grows.
 *   <li>A timer of its own ends the grant at its deadline, whatever a renewal does meanwhile.
 *   <li>An answer that comes after its timeout still counts, for the time of its sending.
 * </ol>
 */
final class Renewal {
    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final ManagedGrant grant;
    private final LossListener losses;

    /** Guards all fields below. Nothing but assignments happens in it. */
    private final Object lock = new Object();

    private boolean stopped;
    private int unknowns;
    private @Nullable Call underWay;
    private @Nullable Moment lastSent;
    private Subscription next = () -> {};
    private Subscription deadline = () -> {};
    private Subscription news = () -> {};

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
        Subscription subscription = setup.backend().onLoss(grant.request(), this::end);
        synchronized (lock) {
            if (!stopped) {
                news = subscription;
                return;
            }
        }
        subscription.close();
    }

    void stop() {
        synchronized (lock) {
            stopped = true;
            next.close();
            deadline.close();
            news.close();
        }
    }

    /** The moment of the last sending, answered or not. */
    Moment lastSent() {
        synchronized (lock) {
            return lastSent != null ? lastSent : environment.now();
        }
    }

    /** One renewal that was sent. */
    private static final class Call {
        private final Moment sent;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Call(Moment sent) {
            this.sent = sent;
        }
    }

    /** Renews at once, or joins the renewal that is under way. Completes when its result, or that it has none, is known. */
    CompletableFuture<Void> renewNow() {
        Call call = new Call(environment.now());
        synchronized (lock) {
            if (underWay != null) {
                return underWay.done;
            }
            if (stopped || !grant.isAlive()) {
                return CompletableFuture.completedFuture(null);
            }
            next.close();
            underWay = call;
            lastSent = call.sent;
        }
        send(call);
        return call.done;
    }

    private void send(Call call) {
        Subscription timeout = environment.scheduler().after(setup.options().requestTimeout(), () -> unknown(call));
        Callbacks.ask(
                () -> setup.renew(grant.request()),
                result -> {
                    timeout.close();
                    answered(result, call);
                },
                failure -> {
                    timeout.close();
                    unknown(call);
                });
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
        }
        finish(call);
        scheduleNext(interval().minus(environment.now().since(call.sent)));
    }

    /** No answer, or none that says anything: asks again, while the grant lives. */
    private void unknown(Call call) {
        Duration pause;
        synchronized (lock) {
            if (underWay != call) {
                return;
            }
            unknowns++;
            pause = setup.timing().retryPause(unknowns);
        }
        finish(call);
        scheduleNext(pause);
    }

    private void finish(Call call) {
        synchronized (lock) {
            if (underWay == call) {
                underWay = null;
            }
        }
        call.done.complete(null);
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
        synchronized (lock) {
            if (!stopped) {
                next.close();
                next = environment.scheduler().after(atLeastZero, this::due);
            }
        }
    }

    private void due() {
        CompletableFuture<Void> unused = renewNow();
    }

    /** Looks at the deadline when it should have come; renewals may have moved it meanwhile. */
    private void watchDeadline() {
        if (!grant.isAlive()) {
            return;
        }
        synchronized (lock) {
            if (!stopped) {
                deadline = environment.scheduler().after(grant.untilEnd(), this::watchDeadline);
            }
        }
    }
}
