package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseObserver.AcquireOutcome;
import io.flockgate.client.LeaseObserver.RenewOutcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The edges of a lease: records what its {@link LeaseMachine} decides, as tasks that call the back
 * end, the observer, the log, and the user on the callback executor. The answers of the back end
 * return to the machine as events.
 */
final class LeaseActions implements LeaseMachine.Actions {
    private static final String CLOSING =
            "the client is closing; the slot is kept while close() waits, then until its lease ends";

    private final ManagedLease lease;
    private final LeaseBackend backend;
    private final LeaseEnvironment environment;
    private final LeaseLog log;
    private final LeaseOptions options;

    /** In the order of their registration. */
    private final List<LossHandler> handlers = new CopyOnWriteArrayList<>();

    /** Guarded by the lease's lock. */
    private List<Runnable> recorded = new ArrayList<>();

    LeaseActions(
            ManagedLease lease,
            LeaseBackend backend,
            LeaseEnvironment environment,
            LeaseLog log,
            LeaseOptions options) {
        this.lease = lease;
        this.backend = backend;
        this.environment = environment;
        this.log = log;
        this.options = options;
    }

    /** A registration; compared by identity, because one handler may be registered twice. */
    private static final class LossHandler {
        private final Consumer<? super LostEvent> handler;
        private volatile boolean removed;

        LossHandler(Consumer<? super LostEvent> handler) {
            this.handler = handler;
        }
    }

    Subscription onLost(Consumer<? super LostEvent> handler) {
        LossHandler registered = new LossHandler(handler);
        handlers.add(registered);
        return () -> {
            registered.removed = true;
            handlers.remove(registered);
        };
    }

    void removeHandlers() {
        handlers.forEach(each -> each.removed = true);
        handlers.clear();
    }

    /** Calls the handlers that are registered now, except those removed meanwhile. */
    private void callHandlers(LostEvent event) {
        for (LossHandler each : handlers) {
            try {
                if (!each.removed) {
                    each.handler.accept(event);
                }
            } catch (Throwable thrown) {
                ManagedLease.LOG.log(
                        Level.ERROR, "a handler for the loss of lease " + options.name() + " failed", thrown);
                report(observer -> observer.handlerFailed(options.name(), thrown));
            }
        }
    }

    /** The tasks since the last call. They run in this order, without the lock. */
    List<Runnable> take() {
        List<Runnable> taken = recorded;
        recorded = new ArrayList<>();
        return taken;
    }

    @Override
    public ManagedGrant grant(Attempt attempt, Granted granted, Moment sent) {
        return new ManagedGrant(lease, options, granted, sent, attempt.result);
    }

    @Override
    public String servers() {
        return backend.servers();
    }

    @Override
    public String server(GrantRequest request) {
        return backend.serverOf(request);
    }

    @Override
    public void ask(Attempt attempt) {
        recorded.add(() -> Callbacks.askBackend(
                () -> backend.acquire(acquireRequest(attempt)),
                answer -> lease.tell(now -> attempt.answered(answer, now)),
                failure -> lease.tell(now -> attempt.failed(failure, now))));
    }

    private AcquireRequest acquireRequest(Attempt attempt) {
        return new AcquireRequest(
                options.name(),
                options.limit(),
                lease.owner(),
                options.ttl(),
                attempt.wait,
                options.requestTimeout(),
                attempt.abandoned.minimalCompletionStage());
    }

    @Override
    public void confirm(Attempt attempt, GrantRequest request, Moment sent) {
        recorded.add(() -> renew(
                request,
                sent,
                answer -> lease.tell(now -> attempt.confirmed(sent, answer, now)),
                failure -> lease.tell(now -> attempt.unconfirmed(sent, failure, now))));
    }

    @Override
    public void renew(Holding held, Moment sent) {
        recorded.add(() -> renew(
                held.request,
                sent,
                answer -> lease.tell(now -> held.answered(sent, answer, now)),
                failure -> lease.tell(now -> held.unknown(sent, failure, now))));
    }

    private void renew(
            GrantRequest request, Moment sent, Consumer<RenewResult> onAnswer, Consumer<Throwable> onFailure) {
        Callbacks.askBackend(
                () -> backend.renew(request),
                answer -> {
                    boolean renewed = answer instanceof RenewResult.Renewed;
                    renewed(renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD, sent);
                    onAnswer.accept(answer);
                },
                failure -> {
                    renewed(RenewOutcome.UNKNOWN, sent);
                    onFailure.accept(failure);
                });
    }

    private void renewed(RenewOutcome outcome, Moment sent) {
        Duration time = environment.now().since(sent);
        report(observer -> observer.renewed(options.name(), outcome, time));
    }

    @Override
    public void release(Orphan orphan, GrantRequest request, int attempt) {
        recorded.add(() -> Callbacks.askBackend(
                () -> backend.release(request),
                result -> lease.tell(now -> orphan.released(now)),
                failure -> lease.tell(now -> orphan.failed(attempt, failure, now))));
    }

    @Override
    public void answer(Attempt attempt, @Nullable RuntimeException failure) {
        boolean begun = attempt.hasBegun();
        recorded.add(() -> {
            if (failure instanceof LeaseUnavailableException unknown) {
                log.claimFailed(options.name(), unknown);
            }
            if (begun) {
                acquired(attempt, outcome(failure));
            }
            Callbacks.run(environment, () -> answerNow(attempt, failure));
        });
    }

    private static void answerNow(Attempt attempt, @Nullable RuntimeException failure) {
        if (failure != null) {
            attempt.result.completeExceptionally(failure);
        } else {
            attempt.result.complete(Optional.empty());
        }
    }

    private static AcquireOutcome outcome(@Nullable RuntimeException failure) {
        if (failure == null) {
            return AcquireOutcome.EMPTY;
        }
        return failure instanceof LeaseUnavailableException ? AcquireOutcome.UNKNOWN : AcquireOutcome.REFUSED;
    }

    private void acquired(Attempt attempt, AcquireOutcome outcome) {
        Duration time = environment.now().since(attempt.begun);
        report(observer -> observer.acquired(options.name(), outcome, time));
    }

    @Override
    public void began(Attempt attempt, Holding held) {
        recorded.add(() -> {
            report(observer -> observer.began(options.name(), held.grant));
            listen(held);
            attempt.settled.complete(null);
            acquired(attempt, AcquireOutcome.GRANTED);
            Callbacks.run(environment, () -> {
                attempt.result.complete(Optional.of(held.grant));
                held.grant.markHandedOut();
            });
        });
    }

    private void listen(Holding held) {
        try {
            held.grant.news.replace(backend.onLoss(held.request, loss -> lease.lose(held, loss)));
        } catch (RuntimeException | Error thrown) {
            ManagedLease.LOG.log(Level.WARNING, "no news of losses of " + held.grant, thrown);
        }
    }

    @Override
    public void ended(Holding held) {
        recorded.add(() -> {
            held.grant.news.close();
            report(observer -> observer.ended(options.name(), held.grant));
        });
    }

    @Override
    public void lost(Holding held, Loss loss, boolean tell) {
        recorded.add(() -> {
            held.grant.news.close();
            LostEvent event = event(held, loss);
            log.lost(event);
            report(observer -> observer.ended(options.name(), held.grant));
            report(observer -> observer.lost(event));
            if (tell) {
                notifyHandlers(held, event);
            }
        });
    }

    @Override
    public void closing(Holding held) {
        recorded.add(() -> notifyHandlers(held, event(held, Loss.of(LostReason.BACKEND_CLOSED, CLOSING))));
    }

    private LostEvent event(Holding held, Loss loss) {
        return new LostEvent(held.grant, options.name(), loss, environment.now().instant());
    }

    private void notifyHandlers(Holding held, LostEvent event) {
        held.grant.afterHandedOut(() -> held.grant.completeLost(event));
        held.grant.afterHandedOut(() -> callHandlers(event));
    }

    @Override
    public void renewalFailed(Holding held, Throwable failure) {
        recorded.add(() -> log.renewalFailed(options.name(), held.grant.remaining(), failure));
    }

    @Override
    public void complete(CompletableFuture<Void> future, @Nullable Throwable failure) {
        recorded.add(() -> {
            boolean unused = failure == null ? future.complete(null) : future.completeExceptionally(failure);
        });
    }

    @Override
    public void follow(CompletableFuture<Void> first, CompletableFuture<Void> second) {
        recorded.add(() -> Callbacks.forward(first, second));
    }

    /** Notifies the observer, and shields the client from its exceptions. */
    private void report(Consumer<LeaseObserver> news) {
        try {
            news.accept(environment.observer());
        } catch (RuntimeException | Error thrown) {
            ManagedLease.LOG.log(Level.ERROR, "an observer of leases failed", thrown);
        }
    }
}
