package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseObserver.AcquireOutcome;
import io.flockgate.client.LeaseObserver.RenewOutcome;
import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Seconds;
import io.flockgate.client.support.Threads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
    private final ManagedLeases leases;
    private final LeaseOptions options;

    /**
     * In the order of their registration; one handler may be registered twice. A registration may
     * be removed after a dispatch has begun.
     */
    private final List<AtomicReference<Consumer<? super LostEvent>>> handlers = new CopyOnWriteArrayList<>();

    /** Guarded by the lease's lock. */
    private List<Runnable> recorded = new ArrayList<>();

    LeaseActions(ManagedLease lease, ManagedLeases leases, LeaseOptions options) {
        this.lease = lease;
        this.leases = leases;
        this.options = options;
    }

    Subscription onLost(Consumer<? super LostEvent> handler) {
        AtomicReference<Consumer<? super LostEvent>> registered = new AtomicReference<>(handler);
        handlers.add(registered);
        return () -> {
            registered.set(LeaseActions::ignore);
            handlers.remove(registered);
        };
    }

    void removeHandlers() {
        handlers.forEach(each -> each.set(LeaseActions::ignore));
        handlers.clear();
    }

    private static void ignore(LostEvent event) {}

    private void callHandlers(LostEvent event) {
        for (AtomicReference<Consumer<? super LostEvent>> each : handlers) {
            try {
                each.get().accept(event);
            } catch (Throwable thrown) {
                ManagedLease.LOG.log(
                        Level.ERROR, "a handler for the loss of lease " + options.name() + " failed", thrown);
                leases.environment.report(observer -> observer.handlerFailed(options.name(), thrown));
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
    public String server(@Nullable GrantRequest request) {
        return request == null ? leases.backend.servers() : leases.backend.serverOf(request);
    }

    /**
     * Calls the back end without the lock; its answer, or the failure, is the next event. An answer
     * of null is a failure.
     */
    private <T> void ask(
            Supplier<CompletionStage<T>> call,
            BiConsumer<T, Moment> onAnswer,
            BiConsumer<Throwable, Moment> onFailure) {
        recorded.add(() -> Stages.ask(
                () -> call.get().thenApply(answer -> Checks.given("the answer of the back end", answer)),
                answer -> lease.tell(now -> onAnswer.accept(answer, now)),
                failure -> lease.tell(now -> onFailure.accept(failure, now))));
    }

    @Override
    public void ask(Attempt attempt) {
        AcquireRequest request = new AcquireRequest(
                options.name(), options.limit(), lease.owner(), options.ttl(), attempt.wait, options.requestTimeout());
        CompletionStage<Void> abandoned = attempt.abandoned.minimalCompletionStage();
        ask(() -> leases.backend.acquire(request, abandoned), attempt::answered, attempt::failed);
    }

    @Override
    public void renew(
            GrantRequest request,
            Moment sent,
            BiConsumer<RenewResult, Moment> onAnswer,
            BiConsumer<Throwable, Moment> onFailure) {
        ask(
                () -> leases.backend.renew(request),
                (answer, now) -> {
                    boolean renewed = answer instanceof RenewResult.Renewed;
                    renewed(renewed ? RenewOutcome.RENEWED : RenewOutcome.NOT_HELD, now.since(sent));
                    onAnswer.accept(answer, now);
                },
                (failure, now) -> {
                    renewed(RenewOutcome.UNKNOWN, now.since(sent));
                    onFailure.accept(failure, now);
                });
    }

    private void renewed(RenewOutcome outcome, Duration time) {
        recorded.add(() -> leases.environment.report(observer -> observer.renewed(options.name(), outcome, time)));
    }

    @Override
    public void release(Orphan orphan, GrantRequest request, int attempt) {
        ask(
                () -> leases.backend.release(request),
                (result, now) -> orphan.released(now),
                (failure, now) -> orphan.failed(attempt, failure, now));
    }

    @Override
    public void answer(Attempt attempt, @Nullable RuntimeException failure) {
        boolean begun = attempt.hasBegun();
        recorded.add(() -> {
            if (failure instanceof LeaseUnavailableException unknown) {
                String result = unknown.mayHold() ? "the claim has no certain result: " : "the claim failed: ";
                leases.claims.warn(() -> "lease " + options.name() + ": " + result + unknown.getMessage());
            }
            if (begun) {
                acquired(attempt, outcome(failure));
            }
            Threads.run(
                    leases.environment.callbackExecutor(),
                    () -> Stages.complete(attempt.result, Optional.empty(), failure));
        });
    }

    private static AcquireOutcome outcome(@Nullable RuntimeException failure) {
        if (failure == null) {
            return AcquireOutcome.EMPTY;
        }
        return failure instanceof LeaseUnavailableException ? AcquireOutcome.UNKNOWN : AcquireOutcome.REFUSED;
    }

    private void acquired(Attempt attempt, AcquireOutcome outcome) {
        Duration time = leases.environment.now().since(attempt.begun);
        leases.environment.report(observer -> observer.acquired(options.name(), outcome, time));
    }

    @Override
    public void began(Attempt attempt, Holding held) {
        recorded.add(() -> {
            leases.environment.report(observer -> observer.began(options.name(), held.grant));
            listen(held);
            acquired(attempt, AcquireOutcome.GRANTED);
            Threads.run(leases.environment.callbackExecutor(), () -> {
                attempt.result.complete(Optional.of(held.grant));
                held.grant.markHandedOut();
            });
        });
    }

    private void listen(Holding held) {
        try {
            held.news.complete(leases.backend.onLoss(
                    held.request, loss -> lease.tell(now -> lease.machine.lose(held, loss, now))));
        } catch (RuntimeException | Error thrown) {
            ManagedLease.LOG.log(Level.WARNING, "no news of losses of " + held.grant, thrown);
        }
    }

    @Override
    public void ended(Holding held) {
        recorded.add(() -> end(held));
    }

    private void end(Holding held) {
        var unused = held.news.thenAccept(Subscription::close);
        leases.environment.report(observer -> observer.ended(options.name(), held.grant));
    }

    @Override
    public void lost(Holding held, Loss loss, boolean tell) {
        recorded.add(() -> {
            LostEvent event = event(held, loss);
            leases.losses.warn(event::toString);
            end(held);
            leases.environment.report(observer -> observer.lost(event));
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
        return new LostEvent(
                held.grant, options.name(), loss, leases.environment.now().instant());
    }

    private void notifyHandlers(Holding held, LostEvent event) {
        held.grant.afterHandedOut(() -> held.grant.completeLost(event));
        held.grant.afterHandedOut(() -> callHandlers(event));
    }

    @Override
    public void renewalFailed(Holding held, Throwable failure) {
        recorded.add(() -> leases.renewals.warn(() -> "lease " + options.name()
                + ": a renewal failed, and the grant lasts another " + Seconds.of(held.grant.remaining()) + ": "
                + Reasons.of(failure)));
    }

    @Override
    public void complete(CompletableFuture<Void> future, @Nullable Throwable failure) {
        recorded.add(() -> Stages.complete(future, null, failure));
    }
}
