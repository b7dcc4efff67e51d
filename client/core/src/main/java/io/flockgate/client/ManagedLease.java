package io.flockgate.client;

import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Seconds;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lease over any back end. {@link LeaseMachine} decides what happens, {@link LeaseActions} does
 * it, and this class is the only one that knows locks and timers:
 *
 * <ol>
 *   <li>Each event, whether a call of the user, an answer of the back end, or time, changes the
 *       machine under the lock. Nothing foreign is called meanwhile, except to set the timer.
 *   <li>One timer runs until the next moment at which the machine has something to do.
 *   <li>What the event has caused is then done without the lock, on the same thread.
 *   <li>{@link #checkAlive} reads the grant without the lock: its end is one atomic value.
 * </ol>
 */
final class ManagedLease implements Lease, ManagedGrant.Owner {
    static final Logger LOG = System.getLogger("io.flockgate.client");
    private static final Duration MAX_WAIT = Duration.ofDays(365);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final LeaseEnvironment environment;
    private final LeaseOptions options;
    private final String owner;
    private final LeaseActions actions;

    /** Its own lock, which guards the fields below as well. */
    final LeaseMachine machine;

    private @Nullable Moment timerAt;
    private Subscription timer = () -> {};

    ManagedLease(ManagedLeases leases, LeaseOptions options, String owner) {
        this.environment = leases.environment;
        this.options = options;
        this.owner = owner;
        this.actions = new LeaseActions(this, leases, options);
        this.machine = new LeaseMachine(options, owner, environment.random(), actions);
    }

    /** Applies an event, which gets the present time. */
    private <T> T on(Function<Moment, T> event) {
        T result;
        List<Runnable> caused;
        synchronized (machine) {
            Moment now = environment.now();
            result = event.apply(now);
            caused = actions.take();
            setTimer(now);
        }
        caused.forEach(Runnable::run);
        return result;
    }

    /** Applies an event that has no result. */
    void tell(Consumer<Moment> event) {
        boolean unused = on(now -> {
            event.accept(now);
            return true;
        });
    }

    private void setTimer(Moment now) {
        Moment due = machine.due();
        if (!Moment.isSame(due, timerAt)) {
            timer.close();
            timerAt = due;
            timer = due == null
                    ? () -> {}
                    : environment.timers().after(Moment.max(Duration.ZERO, due.since(now)), this::tick);
        }
    }

    private void tick() {
        tell(now -> {
            timerAt = null;
            machine.tick(now);
        });
    }

    /**
     * Leaves the follow-up to a timer, because the thread may be inside {@link #checkAlive()}.
     */
    @Override
    public void expired() {
        if (!Thread.holdsLock(machine)) {
            Subscription unused = environment.timers().after(Duration.ZERO, this::tick);
        }
    }

    @Override
    public CompletableFuture<Void> renew(ManagedGrant grant) {
        return on(now -> machine.renew(grant, now));
    }

    @Override
    public LeaseEnvironment environment() {
        return environment;
    }

    @Override
    public String name() {
        return options.name();
    }

    @Override
    public String toString() {
        return "lease of " + name() + (checkAlive() ? ", held" : ", not held");
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public CompletionStage<Optional<LeaseGrant>> acquire(Duration wait) {
        Checks.given("wait", wait);
        if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
            return CompletableFuture.failedStage(
                    new LeaseConfigException("the wait must be from zero to 365 days, but is " + Seconds.of(wait)));
        }
        return claim(wait, grant -> grant);
    }

    @Override
    public CompletionStage<Boolean> acquire() {
        return claim(Duration.ZERO, Optional::isPresent);
    }

    /**
     * Each caller has a future of its own. A caller that completes it, for instance by cancelling
     * it, withdraws.
     */
    private <T> CompletableFuture<T> claim(Duration wait, Function<Optional<LeaseGrant>, T> part) {
        CompletableFuture<Optional<LeaseGrant>> result = on(now -> machine.acquire(wait, now));
        CompletableFuture<T> given = new CompletableFuture<>();
        AtomicBoolean settled = new AtomicBoolean();
        var unusedEnd = given.whenComplete((value, failure) -> {
            if (settled.compareAndSet(false, true)) {
                tell(now -> machine.withdraw(result, now));
            }
        });
        var unusedResult = result.whenComplete((grant, failure) -> {
            if (settled.compareAndSet(false, true)) {
                boolean delivered =
                        failure == null ? given.complete(part.apply(grant)) : given.completeExceptionally(failure);
                if (!delivered) {
                    tell(now -> machine.withdraw(result, now));
                }
            }
        });
        return given;
    }

    @Override
    public CompletionStage<Void> release() {
        CompletableFuture<Void> raw = on(machine::release);
        if (raw.isDone() && !raw.isCompletedExceptionally()) {
            return CompletableFuture.completedStage(null);
        }
        return Stages.onExecutor(environment, raw);
    }

    @Override
    public boolean checkAlive() {
        ManagedGrant held = machine.grant();
        return held != null && held.isAlive();
    }

    @Override
    public Optional<LeaseGrant> current() {
        ManagedGrant held = machine.grant();
        return held != null && held.isAlive() ? Optional.of(held) : Optional.empty();
    }

    @Override
    public Duration remaining() {
        ManagedGrant held = machine.grant();
        return held == null ? Duration.ZERO : held.remaining();
    }

    @Override
    public Subscription onLost(Consumer<? super LostEvent> handler) {
        return actions.onLost(Checks.given("handler", handler));
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return Stages.onExecutor(environment, closeFuture());
    }

    CompletableFuture<Void> closeFuture() {
        actions.removeHandlers();
        return on(now -> machine.end(false, now));
    }

    @Override
    public CompletionStage<Void> shutdown() {
        return Stages.onExecutor(environment, shutdownFuture());
    }

    CompletableFuture<Void> shutdownFuture() {
        return on(now -> machine.end(true, now));
    }

    /**
     * Whether the lease holds a grant. After a shutdown, only the work under the grant releases it.
     */
    boolean isHeld() {
        return machine.grant() != null;
    }

    /** Stops the renewals of a held grant, so that it expires unless the work releases it first. */
    void letRunOut() {
        tell(now -> machine.letRunOut());
    }

    @Override
    public void close() {
        Exception unconfirmed = Stages.await(closeFuture(), CLOSE_TIMEOUT);
        if (unconfirmed != null) {
            Throwable cause = unconfirmed.getCause();
            String reason = cause != null ? Reasons.of(cause) : "no answer in time";
            LOG.log(Level.WARNING, "lease {0}: closed, but its release is not confirmed: {1}", name(), reason);
        }
    }
}
