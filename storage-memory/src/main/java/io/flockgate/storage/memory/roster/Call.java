package io.flockgate.storage.memory.roster;

import io.flockgate.roster.JoinOutcome.AlreadyMember;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Step;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call on its way: waits, is begun, is answered once. */
final class Call<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Call.class);

    private final String group;
    private final Function<Roster, Step<T>> rule;
    private final Promise<T> promise = Promise.promise();
    private final AtomicBoolean taken = new AtomicBoolean();
    private @Nullable T outcome;

    Call(String group, Function<Roster, Step<T>> rule) {
        this.group = group;
        this.rule = rule;
    }

    Future<T> future() {
        return promise.future();
    }

    /** Whether it is the caller's to carry out: of all who ask, one is told so. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** Decides on what earlier calls have left, and leaves what it changes. */
    void decide(Map<String, Roster> before, Map<String, Roster> changed) {
        Roster roster = changed.getOrDefault(group, before.getOrDefault(group, Roster.EMPTY));
        Step<T> step = rule.apply(roster);
        outcome = step.outcome();
        if (!step.after().equals(roster)) {
            changed.put(group, step.after());
        }
    }

    /** Tells what was decided. */
    void answer() {
        T decided = outcome;
        if (decided == null) {
            throw new IllegalStateException("not decided");
        }
        tell(() -> promise.tryComplete(decided));
    }

    /** Tells what needs no writing by these rosters; a member that asks again is one, noted or not. Else fails as not done. */
    void answerUnwritten(Map<String, Roster> rosters, Throwable reason) {
        Roster roster = rosters.getOrDefault(group, Roster.EMPTY);
        Step<T> step = rule.apply(roster);
        if (step.after().equals(roster) || step.outcome() instanceof AlreadyMember) {
            tell(() -> promise.tryComplete(step.outcome()));
        } else {
            fail(Effect.NOT_DONE, "the rosters cannot be written", reason);
        }
    }

    void fail(Effect effect, String message, Throwable reason) {
        fail(new StorageException(FailureKind.UNAVAILABLE, effect, message + ": " + reason.getMessage(), reason));
    }

    void fail(StorageException failure) {
        tell(() -> promise.tryFail(failure));
    }

    /** Time is up. What nobody has begun is not going to be done. */
    void giveUp() {
        if (!promise.future().isComplete()) {
            Effect effect = take() ? Effect.NOT_DONE : Effect.UNKNOWN;
            fail(new StorageException(FailureKind.UNAVAILABLE, effect, "the disk does not answer in time"));
        }
    }

    /** Those who listen are strangers on the thread of all rosters. */
    private static void tell(Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a listener to a roster failed");
        }
    }
}
