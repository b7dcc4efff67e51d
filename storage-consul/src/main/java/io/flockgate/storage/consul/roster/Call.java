package io.flockgate.storage.consul.roster;

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: decided as often as the document has to be read anew, answered once. Decided and sent by the thread of its
 * group, given up by that of the alarms.
 */
final class Call<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Call.class);

    private final Function<Roster, Step<T>> rule;
    private final long slots;
    private final Promise<T> promise = Promise.promise();
    private @Nullable T outcome;
    private boolean changes;
    private @Nullable T standing;
    private boolean sent;
    private boolean inDoubt;
    private boolean answered;

    /** @param slots how many the group has, where that is a matter of this call; else 0 */
    Call(long slots, Function<Roster, Step<T>> rule) {
        this.slots = slots;
        this.rule = rule;
    }

    Future<T> future() {
        return promise.future();
    }

    long slots() {
        return slots;
    }

    synchronized boolean isAnswered() {
        return answered;
    }

    /** Whether what was decided last changes the roster in more than a note of when a member asked. */
    synchronized boolean changes() {
        return changes;
    }

    /** Whether what was decided last can make a document larger. */
    synchronized boolean grows() {
        return changes && (outcome instanceof Joined || outcome instanceof Roster);
    }

    /**
     * Decides anew.
     *
     * @param read what was found; null while another write may still be carried out, so that nothing may be told from it
     * @param sofar what earlier calls have made of it
     */
    synchronized Roster decide(@Nullable Roster read, Roster sofar) {
        Step<T> step = rule.apply(sofar);
        outcome = step.outcome();
        changes = isChange(step, sofar);
        standing = null;
        if (read != null && !changes) {
            Step<T> alone = rule.apply(read);
            standing = !isChange(alone, read) && alone.outcome().equals(outcome) ? outcome : null;
        }
        return step.after();
    }

    private boolean isChange(Step<T> step, Roster before) {
        return !step.after().equals(before) && !(step.outcome() instanceof AlreadyMember);
    }

    /** Whether the answer holds by what was read alone, whatever becomes of the write. */
    synchronized boolean stands() {
        return standing != null;
    }

    /** Before it is written. False when it has been given up, and then it must not be. */
    synchronized boolean send() {
        sent = !answered;
        return sent;
    }

    /** It was not written. */
    synchronized void notSent() {
        sent = false;
    }

    /** It may have been written. */
    synchronized void doubt() {
        inDoubt |= sent;
        sent = false;
    }

    /** Tells what was decided. */
    void answer() {
        T decided;
        synchronized (this) {
            decided = outcome;
            if (answered || decided == null) {
                return;
            }
            answered = true;
        }
        tell(() -> promise.complete(decided));
    }

    /** It will not be sent (again). */
    void fail(String message, @Nullable Throwable reason) {
        Effect effect;
        synchronized (this) {
            if (answered) {
                return;
            }
            answered = true;
            effect = sent || inDoubt ? Effect.UNKNOWN : Effect.NOT_DONE;
        }
        StorageException failure = reason == null
                ? new StorageException(FailureKind.UNAVAILABLE, effect, message)
                : new StorageException(FailureKind.UNAVAILABLE, effect, message, reason);
        tell(() -> promise.fail(failure));
    }

    /** Fails as not begun. */
    void refuse(StorageException failure) {
        synchronized (this) {
            answered = true;
        }
        tell(() -> promise.tryFail(failure));
    }

    /** Time is up. What holds by what was read is told, as only a note of it was under way. */
    void giveUp(String message) {
        if (stands()) {
            answer();
        } else {
            fail(message, null);
        }
    }

    /** Those who listen are strangers on the thread of a group. */
    private static void tell(Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException e) {
            LOG.error("a listener to a roster failed", e);
        }
    }
}
