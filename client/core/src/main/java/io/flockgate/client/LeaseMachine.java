package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Seconds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one lease. Pure: time is an argument, and what touches a back end, a future
 * or the user is only recorded, as {@link Actions}. {@link ManagedLease} guards it with a lock, and
 * calls {@link #tick} at the time {@link #due}.
 *
 * <pre>
 * idle → attempt → holding → releasing → idle      at most one of the three exists at a time;
 *           ↓          └→ lost → idle              each may leave orphans behind
 *       abandoned → idle
 * </pre>
 *
 * <ol>
 *   <li>An acquire returns the grant that is alive, joins the {@link Attempt} that is running, or
 *       begins one. While a release, an abandoned attempt or an expired grant has not ended, the
 *       next attempt waits for that, and further acquires join it.
 *   <li>A grant is held and renewed: {@link Holding}. It ends once: by a release, at its deadline,
 *       by a renewal that the server rejects, or by a loss that the back end reports. Whatever
 *       removes it from the state also performs the follow-up.
 *   <li>A caller may withdraw; an attempt that no caller waits for is abandoned.
 *   <li>A release ends the grant in this process first, then notifies the server: {@link Orphan}. A
 *       release during an attempt abandons the attempt, and ends the one that waits.
 *   <li>A grant that has expired in this process may still be held at the server, so it is released
 *       after a safety margin for writes that are still in transit.
 *   <li>A shutdown notifies the work under a grant (the code that relies on it), and leaves the
 *       grant to that work. The lease is closed once the work has released the grant.
 * </ol>
 */
final class LeaseMachine {
    /** What the machine decides. All but the first two are recorded, and done in this order. */
    interface Actions {
        /** A grant whose time runs from this moment. */
        ManagedGrant grant(Attempt attempt, Granted granted, Moment sent);

        /** The server that is asked about a grant, or all servers, for messages. */
        String server(@Nullable GrantRequest request);

        /** Sends the claim. */
        void ask(Attempt attempt);

        /** Sends a renewal; exactly one of the two gets its result. */
        void renew(
                GrantRequest request,
                Moment sent,
                BiConsumer<RenewResult, Moment> onAnswer,
                BiConsumer<Throwable, Moment> onFailure);

        /** Sends a release. */
        void release(Orphan orphan, GrantRequest request, int attempt);

        /** The caller of the attempt gets nothing, or this failure. */
        void answer(Attempt attempt, @Nullable RuntimeException failure);

        /** The caller of the attempt gets the grant. */
        void began(Attempt attempt, Holding held);

        /** The grant was released. */
        void ended(Holding held);

        /** The grant was lost; its holder is notified unless it was before. */
        void lost(Holding held, Loss loss, boolean tell);

        /** The holder of the grant is notified that the lease closes. */
        void closing(Holding held);

        /** Logs a renewal without a usable answer. */
        void renewalFailed(Holding held, Throwable failure);

        /** Completes a future, exceptionally with a failure. */
        void complete(CompletableFuture<Void> future, @Nullable Throwable failure);
    }

    private enum Ending {
        OPEN,
        SHUT_DOWN,
        CLOSED
    }

    final LeaseOptions options;
    final RandomGenerator random;
    final Actions actions;
    private final String owner;

    /** Written under the lock, and read without. */
    private volatile @Nullable Holding holding;

    private @Nullable Attempt attempt;
    private @Nullable Attempt next;
    private @Nullable Orphan releasing;
    private final List<Orphan> orphans = new ArrayList<>();

    /** When the server holds nothing any more because of the claims without an answer. */
    private @Nullable Moment unanswered;

    private Ending ending = Ending.OPEN;

    /**
     * Completes when there is neither an attempt nor a grant nor a release; fails if the server did
     * not confirm that it holds nothing. Replaced then, unless the lease has ended.
     */
    private CompletableFuture<Void> idle = new CompletableFuture<>();

    LeaseMachine(LeaseOptions options, String owner, RandomGenerator random, Actions actions) {
        this.options = options;
        this.owner = owner;
        this.random = random;
        this.actions = actions;
    }

    /** The grant that is held, alive or not; null without one. Needs no lock. */
    @Nullable
    ManagedGrant grant() {
        Holding held = holding;
        return held == null ? null : held.grant;
    }

    CompletableFuture<Optional<LeaseGrant>> acquire(Duration wait, Moment now) {
        Holding held = holding;
        Attempt running = attempt;
        if (ending != Ending.OPEN) {
            return CompletableFuture.failedFuture(closed(" is closed"));
        } else if (held != null && held.grant.isAlive()) {
            held.attempt.callers++;
            return CompletableFuture.completedFuture(Optional.of(held.grant));
        }
        Attempt joined = running != null && !running.isAbandoned() ? running : next;
        if (joined == null) {
            joined = new Attempt(this, wait, now);
            next = joined;
            beginNext(now);
        } else {
            joined.callers++;
        }
        return joined.result;
    }

    /**
     * A caller does not want the result of its acquire. The last one ends the attempt, or its
     * grant.
     */
    void withdraw(CompletableFuture<?> result, Moment now) {
        Holding held = holding;
        Attempt running = attempt;
        Attempt waiting = next;
        if (waiting != null && waiting.gives(result)) {
            if (--waiting.callers == 0) {
                abandonNext(false, now);
            }
        } else if (running != null && running.gives(result)) {
            if (--running.callers == 0) {
                running.abandon(null, now);
            }
        } else if (held != null && held.attempt.gives(result) && --held.attempt.callers == 0) {
            CompletableFuture<Void> unused = release(now);
        }
    }

    private LeaseClosedException closed(String what) {
        return new LeaseClosedException("the lease of " + options.name() + what);
    }

    /** Begins the attempt that waits, unless there is something left to wait for. */
    private void beginNext(Moment now) {
        Attempt waiting = next;
        if (waiting != null && attempt == null && holding == null && releasing == null) {
            next = null;
            attempt = waiting;
            waiting.ask(now);
        }
    }

    /** The attempt has ended without a grant. */
    void settled(Attempt over, @Nullable LeaseReleaseException unconfirmed, Moment now) {
        if (attempt == over) {
            attempt = null;
            becomeIdle(unconfirmed, now);
        }
    }

    private void becomeIdle(@Nullable LeaseReleaseException unconfirmed, Moment now) {
        actions.complete(idle, unconfirmed);
        if (ending == Ending.OPEN) {
            idle = new CompletableFuture<>();
            beginNext(now);
        }
    }

    /** The attempt has ended with a grant. */
    void hold(Attempt over, Holding held) {
        attempt = null;
        holding = held;
        actions.began(over, held);
    }

    /** Renews this grant at once, or joins the renewal that is under way. */
    CompletableFuture<Void> renew(ManagedGrant grant, Moment now) {
        Holding held = holding;
        return held == null || held.grant != grant || !grant.isAlive()
                ? CompletableFuture.completedFuture(null)
                : held.renew(now);
    }

    /** A grant has certainly ended. Nothing happens if it has ended here before. */
    void lose(Holding held, Loss loss, Moment now) {
        if (held == holding && held.grant.end()) {
            left(held, loss, now);
        }
    }

    /** The time of the held grant has passed. */
    void expire(Holding held, Moment now) {
        Throwable failure = held.lastFailure();
        String why = failure == null ? "" : "; the last one failed: " + Reasons.of(failure);
        held.giveBackAfterMargin(now);
        left(held, new Loss(LostReason.EXPIRED_LOCALLY, "no renewal was confirmed in time" + why, failure), now);
    }

    private void left(Holding held, Loss loss, Moment now) {
        holding = null;
        held.leave();
        boolean open = ending == Ending.OPEN;
        actions.lost(held, loss, open);
        ending = open ? Ending.OPEN : Ending.CLOSED;
        becomeIdle(null, now);
    }

    /** Ends the grant, or the attempts; completes when nothing is left of them. */
    CompletableFuture<Void> release(Moment now) {
        abandonNext(false, now);
        if (ending != Ending.OPEN) {
            return end(false, now);
        }
        return leave(null, now) ? idle : CompletableFuture.completedFuture(null);
    }

    /**
     * Ends the grant, or the attempt.
     *
     * @param failure the failure for the caller of the attempt; null if the caller gets empty
     * @return false if there is nothing whose end is to be awaited
     */
    private boolean leave(@Nullable RuntimeException failure, Moment now) {
        Holding held = holding;
        Attempt running = attempt;
        if (held != null) {
            giveBack(held, now);
        } else if (running != null) {
            running.abandon(failure, now);
        }
        return attempt != null || releasing != null;
    }

    private void abandonNext(boolean closing, Moment now) {
        Attempt waiting = next;
        if (waiting != null) {
            next = null;
            waiting.abandon(closing ? closed(" was closed") : null, now);
        }
    }

    /** Ends the grant in this process, then at the server. */
    private void giveBack(Holding held, Moment now) {
        holding = null;
        boolean unused = held.grant.end();
        held.leave();
        actions.ended(held);
        Orphan orphan = held.takeOrphan();
        releasing = orphan;
        keep(orphan);
        orphan.release(
                (unconfirmed, then) -> {
                    releasing = null;
                    becomeIdle(unconfirmed, then);
                },
                now);
    }

    /**
     * Ends the lease.
     *
     * @param keeps whether a grant stays with the work under it until that work releases it
     * @return completes when nothing is held
     */
    CompletableFuture<Void> end(boolean keeps, Moment now) {
        if (ending == Ending.CLOSED || (ending == Ending.SHUT_DOWN && keeps)) {
            return idle;
        }
        Holding held = holding;
        ending = keeps && held != null ? Ending.SHUT_DOWN : Ending.CLOSED;
        abandonNext(true, now);
        if (keeps && held != null) {
            actions.closing(held);
        } else if (!leave(closed(" was closed"), now)) {
            actions.complete(idle, null);
        }
        return idle;
    }

    /** Sends no further renewal, so that a held grant ends at its deadline. */
    void letRunOut() {
        Holding held = holding;
        if (held != null) {
            held.letRunOut();
        }
    }

    GrantRequest request(String token) {
        return new GrantRequest(options.name(), options.limit(), owner, token, options.ttl(), options.requestTimeout());
    }

    void keep(Orphan orphan) {
        orphans.add(orphan);
    }

    void forget(Orphan orphan) {
        orphans.remove(orphan);
    }

    /** A claim has no answer, so the server may hold a slot because of it until this moment. */
    void keepUnanswered(Moment serverEnd) {
        unanswered = serverEnd;
    }

    /** Whether the server may still hold a slot that the lease does not use. */
    boolean hasOrphans(Moment now) {
        orphans.removeIf(orphan -> orphan.isOver(now));
        return (unanswered != null && !Moment.isDue(unanswered, now))
                || orphans.stream().anyMatch(orphan -> orphan.mayBeHeld(now));
    }

    LeaseUnavailableException noAnswer(@Nullable GrantRequest request, Duration within) {
        return new LeaseUnavailableException(
                "no answer from " + actions.server(request) + " " + Seconds.within(within), true, null);
    }

    /** Does what is due. */
    void tick(Moment now) {
        Holding held = holding;
        if (held != null) {
            held.tick(now);
        }
        Attempt running = attempt;
        if (running != null) {
            running.tick(now);
        }
        List.copyOf(orphans).forEach(orphan -> orphan.tick(now));
    }

    /** The earliest moment at which {@link #tick} has something to do; null if there is none. */
    @Nullable
    Moment due() {
        Holding held = holding;
        Attempt running = attempt;
        Moment due = Moment.earliest(held == null ? null : held.due(), running == null ? null : running.due());
        for (Orphan orphan : orphans) {
            due = Moment.earliest(due, orphan.due());
        }
        return due;
    }
}
