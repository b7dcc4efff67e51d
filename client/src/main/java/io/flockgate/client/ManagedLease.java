package io.flockgate.client;

import io.flockgate.client.LeaseState.Acquiring;
import io.flockgate.client.LeaseState.Closed;
import io.flockgate.client.LeaseState.Held;
import io.flockgate.client.LeaseState.Holding;
import io.flockgate.client.LeaseState.Releasing;
import io.flockgate.client.LeaseState.ShutDown;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.Reasons;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of a lease, the same for every back end. The state is one atomic reference to
 * an immutable value:
 *
 * <pre>
 * Idle → Acquiring → Held → Releasing → Idle
 *            ↓         ├→ (lost) → Idle
 *            ↓         └→ ShutDown → Closed
 *       Acquiring, abandoned → Idle                every state → Closed
 * </pre>
 *
 * <ol>
 *   <li>An acquire returns the grant that is alive, joins the {@link Attempt} that is running, or
 *       starts one. Before it starts one, it waits until a release, an abandoned attempt or an
 *       expired grant has ended.
 *   <li>A grant changes the state to Held unless the attempt was abandoned; a single
 *       compare-and-set decides that.
 *   <li>A release ends the grant in this process first, then notifies the server. A release during
 *       an attempt abandons the attempt.
 *   <li>A grant ends once (see {@link ManagedGrant}). If it was not released, the state becomes
 *       Idle, and then the handlers are notified.
 *   <li>A grant that has expired in this process may still be held at the server, so it is released
 *       after a safety margin for writes that are still in transit.
 *   <li>A shutdown notifies the work under a grant (the code that relies on it), and leaves the
 *       grant to that work. The lease is closed once the work has released the grant.
 * </ol>
 */
final class ManagedLease implements Lease, LossListener {
    static final Logger LOG = System.getLogger("io.flockgate.client");
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final String CLOSING =
            "the client is closing; the slot is kept while close() waits, then until its lease ends";

    private final LeaseSetup setup;
    private final LeaseEnvironment environment;
    private final LossHandlers handlers;
    private final AtomicReference<LeaseState> state = new AtomicReference<>(LeaseState.IDLE);

    /**
     * The number of calls of {@link #release()}. Each call is counted before it reads the state.
     */
    private final AtomicInteger releases = new AtomicInteger();

    ManagedLease(LeaseSetup setup) {
        this.setup = setup;
        this.environment = setup.environment();
        this.handlers = new LossHandlers(LOG, failure -> setup.observing().handlerFailed(name(), failure));
    }

    @Override
    public String name() {
        return setup.options().name();
    }

    @Override
    public String toString() {
        return "lease of " + name() + (checkAlive() ? ", held" : ", not held");
    }

    @Override
    public String owner() {
        return setup.owner();
    }

    @Override
    public CompletionStage<Optional<Grant>> acquire(Duration wait) {
        Checks.given("wait", wait);
        if (wait.isNegative() || wait.compareTo(LeaseTiming.MAX_WAIT) > 0) {
            return CompletableFuture.failedStage(
                    new LeaseConfigException("the wait must be from zero to 365 days, but is " + Seconds.of(wait)));
        }
        return acquireFuture(wait, releases.get()).minimalCompletionStage();
    }

    /**
     * Runs an acquire that was called after {@code epoch} releases. A later release ends it, even
     * while it waits for an earlier grant, attempt or release to end.
     */
    private CompletableFuture<Optional<Grant>> acquireFuture(Duration wait, int epoch) {
        while (true) {
            LeaseState now = state.get();
            if (now instanceof Closed || now instanceof ShutDown) {
                return CompletableFuture.failedFuture(
                        new LeaseClosedException("the lease of " + name() + " is closed"));
            } else if (now instanceof Held held && held.grant().isAlive()) {
                return CompletableFuture.completedFuture(Optional.of(held.grant()));
            } else if (now instanceof Held held) {
                return after(held.grant().left(), wait, epoch);
            } else if (now instanceof Acquiring acquiring) {
                Attempt running = acquiring.attempt();
                return acquiring.abandoned() ? after(running.settled(), wait, epoch) : running.result();
            } else if (now instanceof Releasing releasing) {
                return after(releasing.done(), wait, epoch);
            } else {
                Attempt attempt = new Attempt(this, setup, wait);
                if (state.compareAndSet(now, new Acquiring(attempt, false))) {
                    if (releases.get() != epoch) {
                        // release() came after this acquire, so ask() settles the attempt at once.
                        abandon(attempt, null);
                    }
                    setup.observing().attempt(name(), attempt.result());
                    attempt.ask();
                    return attempt.result();
                }
            }
        }
    }

    /** Runs an acquire once {@code end} has completed, whether normally or exceptionally. */
    private CompletableFuture<Optional<Grant>> after(CompletableFuture<Void> end, Duration wait, int epoch) {
        CompletableFuture<Optional<Grant>> later = new CompletableFuture<>();
        Runnable begin = () -> Callbacks.forward(acquireFuture(wait, epoch), later);
        Callbacks.ask(
                () -> end, done -> Callbacks.run(environment, begin), failure -> Callbacks.run(environment, begin));
        return later;
    }

    @Override
    public CompletionStage<Void> release() {
        releases.incrementAndGet();
        CompletableFuture<Void> raw = releaseFuture();
        if (raw.isDone() && !raw.isCompletedExceptionally()) {
            return CompletableFuture.completedStage(null);
        }
        return Callbacks.onExecutor(environment, raw).minimalCompletionStage();
    }

    private CompletableFuture<Void> releaseFuture() {
        while (true) {
            LeaseState now = state.get();
            if (now instanceof Held held) {
                Releasing next = new Releasing(new CompletableFuture<>());
                if (state.compareAndSet(now, next)) {
                    giveBack(held.grant(), next.done(), () -> {
                        boolean unused = state.compareAndSet(next, LeaseState.IDLE);
                    });
                    return next.done();
                }
            } else if (now instanceof ShutDown) {
                return end(false);
            } else if (now instanceof Acquiring acquiring) {
                if (acquiring.abandoned() || abandon(acquiring.attempt(), null)) {
                    return acquiring.attempt().settled();
                }
            } else if (now instanceof Releasing releasing) {
                return releasing.done();
            } else if (now instanceof Closed closed) {
                return closed.done();
            } else {
                return CompletableFuture.completedFuture(null);
            }
        }
    }

    /**
     * Ends the grant in this process, then at the server; {@code last} runs before {@code done}
     * completes.
     */
    private void giveBack(ManagedGrant grant, CompletableFuture<Void> done, Runnable last) {
        if (grant.end()) {
            setup.observing().ended(name(), grant);
        }
        grant.takeGiveBack();
        CompletableFuture<Void> given = GiveBack.start(setup, grant.request(), grant.serverEnd());
        Callbacks.ask(
                () -> given,
                nothing -> {
                    last.run();
                    done.complete(null);
                },
                failure -> {
                    last.run();
                    done.completeExceptionally(failure);
                });
    }

    @Override
    public boolean checkAlive() {
        return state.get() instanceof Holding held && held.grant().isAlive();
    }

    @Override
    public Optional<Grant> current() {
        return state.get() instanceof Holding held && held.grant().isAlive()
                ? Optional.of(held.grant())
                : Optional.empty();
    }

    @Override
    public Duration remaining() {
        return state.get() instanceof Holding held ? held.grant().remaining() : Duration.ZERO;
    }

    @Override
    public Subscription onLost(Consumer<? super LostEvent> handler) {
        return handlers.add(Checks.given("handler", handler));
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return Callbacks.onExecutor(environment, closeFuture()).minimalCompletionStage();
    }

    CompletableFuture<Void> closeFuture() {
        handlers.close();
        return end(false);
    }

    @Override
    public CompletionStage<Void> shutdown() {
        return Callbacks.onExecutor(environment, shutdownFuture()).minimalCompletionStage();
    }

    CompletableFuture<Void> shutdownFuture() {
        return end(true);
    }

    /**
     * Ends the lease.
     *
     * @param keeps whether a grant stays with the work under it until that work releases it
     */
    private CompletableFuture<Void> end(boolean keeps) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        LeaseState before = state.getAndUpdate(now -> LeaseState.ended(now, done, keeps));
        if (before instanceof Closed closed) {
            return closed.done();
        } else if (before instanceof ShutDown shutDown) {
            if (!keeps) {
                giveBack(shutDown.grant(), shutDown.done(), () -> {});
            }
            return shutDown.done();
        } else if (before instanceof Held held) {
            if (keeps) {
                notifyHandlers(held.grant(), lostEvent(held.grant(), Loss.of(LostReason.BACKEND_CLOSED, CLOSING)));
            } else {
                giveBack(held.grant(), done, () -> {});
            }
        } else if (before instanceof Acquiring acquiring) {
            acquiring.attempt().abandon(new LeaseClosedException("the lease of " + name() + " was closed"));
            Callbacks.forward(acquiring.attempt().settled(), done);
        } else if (before instanceof Releasing releasing) {
            Callbacks.forward(releasing.done(), done);
        } else {
            done.complete(null);
        }
        return done;
    }

    /**
     * Whether the lease holds a grant. After a shutdown, only the work under the grant releases it.
     */
    boolean isHeld() {
        return state.get() instanceof Holding;
    }

    /** Stops the renewals of a held grant, so that it expires unless the work releases it first. */
    void letRunOut() {
        if (state.get() instanceof Holding held) {
            held.grant().letRunOut();
        }
    }

    @Override
    public void close() {
        try {
            closeFuture().get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            LOG.log(
                    Level.WARNING,
                    "lease {0}: closed, but its release is not confirmed: {1}",
                    name(),
                    reason(unconfirmed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static String reason(Exception failure) {
        Throwable cause = failure.getCause();
        return cause != null ? Reasons.of(cause) : "no answer in time";
    }

    /**
     * Decides between a grant and an abandonment. Returns true if the lease now holds the grant.
     */
    boolean becomeHolder(Attempt attempt, ManagedGrant grant) {
        LeaseState now = state.get();
        if (now instanceof Acquiring acquiring
                && acquiring.attempt() == attempt
                && !acquiring.abandoned()
                && state.compareAndSet(now, new Held(grant))) {
            setup.observing().began(name(), grant);
            grant.start();
            return true;
        }
        return false;
    }

    /**
     * The counterpart of {@link #becomeHolder}. Does nothing and returns false if the attempt has
     * already been decided.
     */
    boolean abandon(Attempt attempt, @Nullable RuntimeException failure) {
        LeaseState now = state.get();
        if (now instanceof Acquiring acquiring
                && acquiring.attempt() == attempt
                && !acquiring.abandoned()
                && state.compareAndSet(now, new Acquiring(attempt, true))) {
            attempt.abandon(failure);
            return true;
        }
        return false;
    }

    /** Called when nothing of the attempt is left, so that the next one may begin. */
    void settled(Attempt attempt) {
        LeaseState now = state.get();
        if (now instanceof Acquiring acquiring
                && acquiring.attempt() == attempt
                && !state.compareAndSet(now, LeaseState.IDLE)) {
            settled(attempt);
        }
    }

    /**
     * Only schedules the follow-up, because the calling thread may be inside {@link #checkAlive()}.
     */
    @Override
    public void expired(ManagedGrant grant) {
        Throwable failure = grant.lastFailure();
        String why = failure == null ? "" : "; the last one failed: " + Reasons.of(failure);
        Loss loss = new Loss(LostReason.EXPIRED_LOCALLY, "no renewal was confirmed in time" + why, failure);
        environment.scheduler().after(Duration.ZERO, () -> {
            giveBackAfterMargin(grant);
            lost(grant, loss);
        });
    }

    /** Releases a slot that the server may still hold although this process no longer uses it. */
    private void giveBackAfterMargin(ManagedGrant grant) {
        if (grant.takeGiveBack()) {
            GiveBack.startAfterMargin(setup, grant.request(), grant.serverEnd());
        }
    }

    @Override
    public void lost(ManagedGrant grant, Loss loss) {
        grant.stop();
        Holding left = leave(grant);
        grant.left().complete(null);
        LostEvent event = lostEvent(grant, loss);
        setup.log().lost(event);
        setup.observing().lost(event);
        if (left instanceof ShutDown shutDown) {
            shutDown.done().complete(null);
        } else if (left != null) {
            notifyHandlers(grant, event);
        }
    }

    /**
     * Leaves the state that holds this grant, and returns that state; null if a release came first.
     */
    private @Nullable Holding leave(ManagedGrant grant) {
        while (state.get() instanceof Holding holding && holding.grant() == grant) {
            LeaseState next = holding instanceof ShutDown shutDown ? new Closed(shutDown.done()) : LeaseState.IDLE;
            if (state.compareAndSet(holding, next)) {
                return holding;
            }
        }
        return null;
    }

    private LostEvent lostEvent(ManagedGrant grant, Loss loss) {
        return new LostEvent(grant, name(), loss, environment.now().instant());
    }

    private void notifyHandlers(ManagedGrant grant, LostEvent event) {
        grant.afterHandedOut(() -> grant.completeLost(event));
        grant.afterHandedOut(() -> handlers.report(event));
    }

    @Override
    public void renewedTooLate(ManagedGrant grant) {
        giveBackAfterMargin(grant);
    }
}
