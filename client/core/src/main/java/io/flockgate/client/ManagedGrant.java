package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.support.Seconds;
import io.flockgate.client.support.Threads;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A grant with its deadline, which any thread may read without a lock. The deadline is one atomic
 * reference, and ends once:
 *
 * <ol>
 *   <li>{@link #isAlive()} reads it once. If it has passed, the reader itself ends it, so that a
 *       grant once reported dead stays dead.
 *   <li>A confirmed renewal replaces it, unless it has ended or expired in the meantime.
 *   <li>The lease performs the follow-up: the release or the loss notification.
 * </ol>
 */
final class ManagedGrant implements LeaseGrant {
    /** The lease of a grant. */
    interface Owner {
        LeaseEnvironment environment();

        /** A thread has noticed that the time of the grant has passed. Called from any thread. */
        void expired();

        /**
         * Renews this grant at once; completes when the result is known, or is known to be missing.
         */
        CompletableFuture<Void> renew(ManagedGrant grant);
    }

    private final Owner lease;
    private final LeaseEnvironment environment;
    private final LeaseOptions options;
    private final Granted granted;

    /** From this moment on the grant is dead; null once it has ended, for good. */
    private final AtomicReference<@Nullable Moment> deadline;

    /** The sending of the last confirmed request. Guarded by the lease's lock. */
    private Moment confirmed;

    private final CompletableFuture<LostEvent> lost = new CompletableFuture<>();
    private final CompletableFuture<?> acquired;
    private final CompletableFuture<Void> handedOut = new CompletableFuture<>();

    /**
     * A grant from a request that was sent at this moment, for the caller that waits for {@code
     * acquired}.
     */
    ManagedGrant(Owner lease, LeaseOptions options, Granted granted, Moment sent, CompletableFuture<?> acquired) {
        this.lease = lease;
        this.environment = lease.environment();
        this.options = options;
        this.granted = granted;
        this.acquired = acquired;
        this.deadline = new AtomicReference<>(end(options, sent, granted.ttl()));
        this.confirmed = sent;
    }

    /** The end after a request for {@code options.ttl()} that the server confirmed for a time. */
    private static Moment end(LeaseOptions options, Moment sent, Duration given) {
        Duration shortened = options.ttl().minus(Moment.min(given, options.ttl()));
        return sent.plus(options.validity().minus(shortened));
    }

    @Override
    public String token() {
        return granted.token();
    }

    @Override
    public OptionalLong fence() {
        return granted.fence();
    }

    @Override
    public boolean isAlive() {
        return isAlive(true);
    }

    /** Ends a grant whose time has passed, unless a renewal comes first. */
    private boolean isAlive(boolean byWallClock) {
        while (true) {
            Moment seen = deadline.get();
            if (seen == null) {
                return false;
            } else if (!passed(seen, byWallClock)) {
                return true;
            } else if (deadline.compareAndSet(seen, null)) {
                lease.expired();
                return false;
            }
        }
    }

    private boolean passed(Moment until, boolean byWallClock) {
        return environment.timers().nanos() - until.nanos() >= 0
                || (byWallClock
                        && options.looksAtWallClock()
                        && environment.wallClock().millis() >= until.wallMillis());
    }

    /**
     * Whether the time has passed by the wall clock alone, and no other thread has noticed it. The
     * host has slept, or the clock was set, which a renewal shows.
     */
    boolean isDoubtful() {
        Moment until = deadline.get();
        return until != null && !passed(until, false) && passed(until, true);
    }

    @Override
    public Duration remaining() {
        Moment until = deadline.get();
        if (until == null || !isAlive()) {
            return Duration.ZERO;
        }
        Duration left = until.since(environment.now());
        Duration byWall =
                Duration.ofMillis(until.wallMillis() - environment.wallClock().millis());
        Duration least = options.looksAtWallClock() ? Moment.min(left, byWall) : left;
        return Moment.max(Duration.ZERO, least);
    }

    @Override
    public CompletionStage<LostEvent> lost() {
        return lost.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Boolean> ensure(Duration atLeast) {
        Checks.given("atLeast", atLeast);
        if (atLeast.compareTo(options.validity()) > 0) {
            return CompletableFuture.failedStage(new LeaseConfigException("a renewal gives "
                    + Seconds.of(options.validity()) + " at most; asked for " + Seconds.of(atLeast)));
        }
        return Stages.onExecutor(environment, ensure(atLeast, 2));
    }

    /**
     * Makes a second attempt, because a renewal that was already under way may have been sent too
     * early.
     */
    private CompletableFuture<Boolean> ensure(Duration atLeast, int tries) {
        if (isAlive() && remaining().compareTo(atLeast) >= 0) {
            return CompletableFuture.completedFuture(true);
        }
        if (tries == 0 || !isAlive()) {
            return CompletableFuture.completedFuture(false);
        }
        return lease.renew(this).thenCompose(done -> ensure(atLeast, tries - 1));
    }

    /** Whether the time has passed; without side effects, for a grant not yet handed out. */
    boolean hasPassed() {
        Moment until = deadline.get();
        return until == null || passed(until, true);
    }

    /** Ends the grant; true for the one call that ended it. */
    boolean end() {
        return deadline.getAndSet(null) != null;
    }

    /**
     * Applies a confirmed renewal, unless one that was sent later is confirmed already; false if
     * the grant has ended, which a renewal does not undo.
     */
    boolean extend(Moment sent, Duration given) {
        boolean newer = !sent.since(confirmed).isNegative();
        Moment old = deadline.get();
        while (newer && old != null && !passed(old, false)) {
            if (deadline.compareAndSet(old, end(options, sent, given))) {
                confirmed = sent;
                return true;
            }
            old = deadline.get();
        }
        return isAlive(false);
    }

    /** The moment at which the grant ends unless it is renewed; null if it has ended. */
    @Nullable
    Moment deadline() {
        return deadline.get();
    }

    /** Called when the stage of the acquire has completed; from then on a loss may be reported. */
    void markHandedOut() {
        handedOut.complete(null);
    }

    /**
     * Runs the task on the callback executor, once the stage of the acquire has completed. The mark
     * comes late if user code runs long in that stage, so this method also checks the stage itself
     * after it has registered for the mark.
     */
    void afterHandedOut(Runnable task) {
        var unused = handedOut.thenRun(() -> Threads.run(environment.callbackExecutor(), task));
        if (acquired.isDone()) {
            markHandedOut();
        }
    }

    void completeLost(LostEvent event) {
        lost.complete(event);
    }

    @Override
    public String toString() {
        return "grant of " + options.name() + granted.fenceText();
    }
}
