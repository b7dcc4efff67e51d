package io.flockgate.roster.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Step;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call on a roster, from its arrival to its one answer. A worker decides the call each time the
 * roster changes, and writes the result. A timer may give the call up at any moment. Thread safe.
 *
 * <ol>
 *   <li>{@link #decide} applies the rule to a roster.
 *   <li>{@link #beginWrite} precedes a write that this decision needs.
 *   <li>{@link #answer} follows a successful write. {@link #notWritten} or {@link #maybeWritten}
 *       follows a failed one, after which the call is decided again or fails.
 * </ol>
 */
public final class RosterCall<T> {
    private static final Logger LOG = LoggerFactory.getLogger(RosterCall.class);

    private final String group;
    private final long slots;
    private final Function<Roster, Step<T>> rule;
    private final Promise<T> promise = Promise.promise();

    @GuardedBy("this")
    private @Nullable T outcome;

    @GuardedBy("this")
    private boolean changes;

    @GuardedBy("this")
    private boolean confirmed;

    @GuardedBy("this")
    private boolean writing;

    @GuardedBy("this")
    private boolean inDoubt;

    @GuardedBy("this")
    private boolean answered;

    /**
     * @param slots the number of slots of the group, if the rule depends on it; otherwise 0
     */
    RosterCall(String group, long slots, Function<Roster, Step<T>> rule) {
        this.group = group;
        this.slots = slots;
        this.rule = rule;
    }

    public String group() {
        return group;
    }

    public Future<T> future() {
        return promise.future();
    }

    /** Gives the call up after this time, for the reason that applies then. */
    public void giveUpAfter(long nanos, Timer timer, Supplier<String> reason) {
        Runnable cancel = timer.after(nanos, () -> giveUp(reason.get()));
        promise.future().onComplete(done -> cancel.run());
    }

    public synchronized boolean isAnswered() {
        return answered;
    }

    /**
     * Whether the last decision changes more of the roster than the time of a member's last
     * request.
     */
    public synchronized boolean changes() {
        return changes;
    }

    /** Whether the last decision can make a document larger. */
    public synchronized boolean grows() {
        return changes && (outcome instanceof Joined || outcome instanceof Roster);
    }

    /** The slots to be stored with the last decision, or else those that were stored before. */
    synchronized long slotsAfter(long before) {
        return changes && slots > 0 ? slots : before;
    }

    /**
     * Decides the call again.
     *
     * @param stored the stored roster; null while a write with an unknown result may still replace
     *     it, because nothing may be answered from it then
     * @param latest the roster after the calls before this one
     * @return the roster after this call
     */
    public synchronized Roster decide(@Nullable Roster stored, Roster latest) {
        Step<T> step = rule.apply(latest);
        outcome = step.outcome();
        changes = isChange(step, latest);
        confirmed = stored != null && !changes && isOutcomeOf(stored, step.outcome());
        return step.after();
    }

    private boolean isOutcomeOf(Roster stored, T decided) {
        Step<T> alone = rule.apply(stored);
        return !isChange(alone, stored) && alone.outcome().equals(decided);
    }

    private boolean isChange(Step<T> step, Roster before) {
        return !step.after().equals(before) && !(step.outcome() instanceof AlreadyMember);
    }

    /**
     * Whether the stored roster alone confirms the decision, so that it holds whether or not the
     * write succeeds.
     */
    public synchronized boolean isConfirmed() {
        return confirmed;
    }

    /**
     * Must be called before a write. Returns false if the call was given up, so that the write must
     * not contain its change.
     */
    public synchronized boolean beginWrite() {
        writing = !answered;
        return writing;
    }

    /** Records that the write has had no effect. */
    public synchronized void notWritten() {
        writing = false;
    }

    /** Records that the write may have had an effect, or may have one later. */
    public synchronized void maybeWritten() {
        inDoubt |= writing;
        writing = false;
    }

    /** Completes the future with the last decision. */
    public void answer() {
        T decided;
        synchronized (this) {
            decided = outcome;
            if (answered || decided == null) {
                return;
            }
            answered = true;
        }
        notifyListeners(() -> promise.complete(decided));
    }

    /**
     * Fails the future as unavailable. The effect is unknown if a write was begun that may have
     * succeeded.
     */
    public void fail(String message, @Nullable Throwable reason) {
        Effect effect;
        synchronized (this) {
            if (answered) {
                return;
            }
            answered = true;
            effect = writing || inDoubt ? Effect.UNKNOWN : Effect.NOT_DONE;
        }
        StorageException failure = new StorageException(FailureKind.UNAVAILABLE, effect, message, reason);
        notifyListeners(() -> promise.fail(failure));
    }

    /** Fails the future of a call that no worker has seen. */
    public void refuse(StorageException failure) {
        synchronized (this) {
            answered = true;
        }
        notifyListeners(() -> promise.tryFail(failure));
    }

    private void giveUp(String reason) {
        if (isConfirmed()) {
            answer();
        } else {
            fail(reason, null);
        }
    }

    /** A listener that throws must not end the worker. */
    private static void notifyListeners(Runnable completion) {
        try {
            completion.run();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a listener to a roster failed");
        }
    }
}
