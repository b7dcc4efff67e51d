package io.flockgate.client;

import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseBackend.RenewResult.Renewed;
import io.flockgate.client.support.Reasons;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to become the holder. Part of {@link LeaseMachine}, and as pure.
 *
 * <ol>
 *   <li>It asks the back end, and records the moment before the request is sent.
 *   <li>If the answer is no, it ends empty. If the server may still hold a slot of this lease
 *       itself (an {@link Orphan}), the negative answer is not certain, and the attempt fails as
 *       unknown.
 *   <li>An immediate grant counts from that moment. A grant after a wait began later, so a renewal
 *       confirms it, and it counts from the sending of the renewal.
 *   <li>Without an answer in time, or at a release, the attempt is abandoned: its caller is
 *       answered at once.
 *   <li>The grant of an abandoned attempt is released instead of handed out. Only then is the
 *       attempt settled, and the next may begin. If no answer ever arrives, the attempt is settled
 *       once the server must have ended such a grant itself.
 * </ol>
 */
final class Attempt {
    private enum Step {
        WAITING,
        ASKING,
        CONFIRMING,
        /** Until it confirms again. */
        UNCONFIRMED,
        GIVING_BACK
    }

    final Duration wait;
    final Moment begun;

    /** The result for the caller of the acquire. */
    final CompletableFuture<Optional<LeaseGrant>> result = new CompletableFuture<>();

    /** Completes when the caller no longer waits for the answer. */
    final CompletableFuture<Void> abandoned = new CompletableFuture<>();

    /** The callers that want the result, or have it. */
    int callers = 1;

    private final LeaseMachine machine;
    private Step step = Step.WAITING;
    private boolean isAbandoned;
    private boolean isAnswered;
    private boolean isOver;
    private boolean unsure;
    private Moment sent;
    private Moment grantedAt;
    private @Nullable Granted granted;
    private @Nullable Moment due;

    /** The moment by which an abandoned attempt is settled. */
    private @Nullable Moment lastEnd;

    Attempt(LeaseMachine machine, Duration wait, Moment now) {
        this.machine = machine;
        this.wait = wait;
        this.begun = now;
        this.sent = now;
        this.grantedAt = now;
    }

    /** Whether the back end was asked. */
    boolean hasBegun() {
        return step != Step.WAITING;
    }

    /** Whether this is the result that a caller has got. */
    @SuppressWarnings("ReferenceEquality")
    boolean gives(CompletableFuture<?> caller) {
        return result == caller;
    }

    boolean isAbandoned() {
        return isAbandoned;
    }

    void ask(Moment now) {
        step = Step.ASKING;
        sent = now;
        unsure = machine.hasOrphans(now);
        due = now.plus(wait.plus(machine.options.requestTimeout()));
        machine.actions.ask(this);
    }

    /** The back end has answered the claim, however late. */
    void answered(AcquireResult answer, Moment now) {
        due = null;
        if (!(answer instanceof Granted given)) {
            contended(now);
        } else if (isAbandoned) {
            giveBack(given, null, now);
        } else if (sentLongAgo(now)) {
            grantedAt = now;
            confirm(given, now);
        } else {
            handOut(given, sent, now);
        }
    }

    private boolean sentLongAgo(Moment now) {
        return !wait.isZero() && now.since(sent).compareTo(machine.options.renewInterval()) > 0;
    }

    private void contended(Moment now) {
        if (isAbandoned) {
            settle(null, now);
        } else if (unsure) {
            fail(unavailable("the server may still hold an earlier grant of this lease", true, null), now);
        } else {
            settle(null, now);
            answer(null);
        }
    }

    /** The back end has not answered the claim, or has refused it. */
    void failed(Throwable failure, Moment now) {
        due = null;
        boolean expected = failure instanceof LeaseException
                || failure instanceof LeaseConfigException
                || failure instanceof LeaseClosedException;
        RuntimeException told = expected ? (RuntimeException) failure : unknown("the back end failed", failure);
        if (told instanceof LeaseUnavailableException unknown && unknown.mayHold()) {
            machine.keepUnanswered(now.plus(machine.options.longestHold()));
        }
        fail(told, now);
    }

    private static LeaseUnavailableException unavailable(String words, boolean mayHold, @Nullable Throwable cause) {
        return new LeaseUnavailableException(words, mayHold, cause);
    }

    private static LeaseUnavailableException unknown(String what, Throwable cause) {
        return unavailable(what + ": " + Reasons.of(cause), true, cause);
    }

    /** Renews a grant that waited in the queue, so that its start time is known. */
    private void confirm(Granted given, Moment now) {
        step = Step.CONFIRMING;
        granted = given;
        sent = now;
        due = now.plus(machine.options.requestTimeout());
        machine.actions.renew(
                machine.request(given.token()),
                now,
                (answer, at) -> confirmed(now, answer, at),
                (failure, at) -> unconfirmed(now, failure, at));
    }

    /** The renewal that confirms a grant was answered. An answer after its timeout is ignored. */
    void confirmed(Moment confirmationSent, RenewResult answer, Moment now) {
        Granted given = granted;
        if (step != Step.CONFIRMING || !sent.equals(confirmationSent) || given == null) {
            return;
        } else if (!(answer instanceof Renewed renewed)) {
            fail(unavailable("the grant ended before it could be confirmed", false, null), now);
        } else if (isAbandoned) {
            giveBack(given, null, now);
        } else {
            handOut(new Granted(given.token(), given.fence(), renewed.ttl()), sent, now);
        }
    }

    /** The renewal that confirms a grant has no usable answer. */
    void unconfirmed(Moment confirmationSent, Throwable failure, Moment now) {
        Granted given = granted;
        if (step != Step.CONFIRMING || !sent.equals(confirmationSent) || given == null) {
            return;
        }
        Moment again = now.plus(machine.options.retryPause(1));
        if (again.since(grantedAt).compareTo(machine.options.validity()) < 0 && !isAbandoned) {
            step = Step.UNCONFIRMED;
            due = again;
        } else {
            giveBack(given, unknown("the grant could not be confirmed", failure), now);
        }
    }

    private void handOut(Granted given, Moment from, Moment now) {
        GrantRequest request = machine.request(given.token());
        ManagedGrant grant = machine.actions.grant(this, given, from);
        if (grant.hasPassed()) {
            giveBack(given, unavailable("the answer came too late to be used", false, null), now);
        } else {
            isOver = true;
            isAnswered = true;
            due = null;
            machine.hold(this, new Holding(machine, this, grant, request, from));
        }
    }

    /**
     * Releases a grant that must not be used, and then ends the attempt.
     *
     * @param failure the failure for the caller; null if the attempt was abandoned, which answers
     *     the caller itself
     */
    private void giveBack(Granted given, @Nullable RuntimeException failure, Moment now) {
        step = Step.GIVING_BACK;
        due = null;
        Orphan orphan = new Orphan(machine, machine.request(given.token()), now.plus(machine.options.longestHold()));
        machine.keep(orphan);
        orphan.release(
                (unconfirmed, then) -> {
                    settle(unconfirmed, then);
                    if (failure != null) {
                        answer(failure);
                    }
                },
                now);
    }

    /**
     * The grant of this attempt is no longer wanted.
     *
     * @param failure the failure for the caller of the acquire; null if the caller gets empty
     */
    void abandon(@Nullable RuntimeException failure, Moment now) {
        if (isAbandoned) {
            return;
        }
        isAbandoned = true;
        lastEnd = now.plus(wait.plus(machine.options.longestHold()));
        answer(failure);
        machine.actions.complete(abandoned, null);
        Granted given = granted;
        if (step == Step.WAITING) {
            settle(null, now);
        } else if (step == Step.UNCONFIRMED && given != null) {
            giveBack(given, null, now);
        } else if (step == Step.ASKING) {
            due = null;
        }
    }

    private void fail(RuntimeException failure, Moment now) {
        settle(null, now);
        answer(failure);
    }

    private void answer(@Nullable RuntimeException failure) {
        if (!isAnswered) {
            isAnswered = true;
            machine.actions.answer(this, failure);
        }
    }

    /** Nothing of the attempt is left, so the next one may begin. */
    private void settle(@Nullable LeaseReleaseException unconfirmed, Moment now) {
        if (!isOver) {
            isOver = true;
            due = null;
            lastEnd = null;
            machine.settled(this, unconfirmed, now);
        }
    }

    void tick(Moment now) {
        if (Moment.isDue(lastEnd, now)) {
            settle(null, now);
        } else if (Moment.isDue(due, now)) {
            due = null;
            timeIsUp(now);
        }
    }

    private void timeIsUp(Moment now) {
        Granted given = granted;
        if (step == Step.ASKING) {
            abandon(machine.noAnswer(null, wait.plus(machine.options.requestTimeout())), now);
        } else if (step == Step.CONFIRMING && given != null) {
            unconfirmed(sent, machine.noAnswer(machine.request(given.token()), machine.options.requestTimeout()), now);
        } else if (step == Step.UNCONFIRMED && given != null) {
            confirm(given, now);
        }
    }

    @Nullable
    Moment due() {
        return Moment.earliest(due, lastEnd);
    }
}
