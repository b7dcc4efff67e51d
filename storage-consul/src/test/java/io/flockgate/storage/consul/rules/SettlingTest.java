package io.flockgate.storage.consul.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Committed;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.kv.TxnOutcome.Unknown;
import io.flockgate.storage.consul.rules.Settling.Result;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The outcome of a write, from the answers to its attempts and from what reads show. */
class SettlingTest {
    private static final Committed COMMITTED = new Committed(List.of());
    private static final Conflict CONFLICT = conflict("key \"k\" exists");
    private static final Conflict DELAYED = conflict("failed to lock key \"k\" due to lock delay");
    private static final NotDone NO_LEADER = new NotDone(failure(FailureKind.UNAVAILABLE, Effect.NOT_DONE));
    private static final NotDone DENIED = new NotDone(failure(FailureKind.DENIED, Effect.NOT_DONE));
    private static final Unknown UNKNOWN = new Unknown(failure(FailureKind.UNAVAILABLE, Effect.UNKNOWN));

    private static Conflict conflict(String what) {
        return new Conflict(List.of(new Obstacle(1, what)));
    }

    private static ConsulException failure(FailureKind kind, Effect effect) {
        return new ConsulException(kind, effect, kind + " " + effect);
    }

    /** A Consul that answers attempts and reads by a script. Its time ends with the last answer. */
    private static final class Script implements Settling.Write {
        private final Deque<Object> answers;
        private final List<String> steps = new ArrayList<>();

        Script(Object... answers) {
            this.answers = new ArrayDeque<>(Arrays.asList(answers));
        }

        @Override
        public TxnOutcome send() {
            steps.add("send");
            return (TxnOutcome) answers.remove();
        }

        @Override
        public boolean isApplied() {
            steps.add("read");
            Object answer = answers.remove();
            if (answer instanceof ConsulException failed) {
                throw failed;
            }
            return (Boolean) answer;
        }

        @Override
        public boolean isOver(int failures) {
            return answers.isEmpty();
        }

        @Override
        public void pause(int failures) {
            steps.add("pause " + failures);
        }
    }

    private static void fails(Script script, FailureKind kind, Effect effect) {
        assertThatThrownBy(() -> Settling.write(script)).isInstanceOfSatisfying(ConsulException.class, failed -> {
            assertThat(failed.kind()).isEqualTo(kind);
            assertThat(failed.effect()).isEqualTo(effect);
        });
        assertThat(script.answers).isEmpty();
    }

    @Test
    void anAnswerToTheFirstAttemptIsCertain() {
        assertThat(Settling.write(new Script(COMMITTED))).isEqualTo(new Result.Committed(COMMITTED));
        assertThat(Settling.write(new Script(CONFLICT))).isEqualTo(new Result.Refused(CONFLICT));
        assertThat(Settling.write(new Script(DELAYED))).isEqualTo(new Result.Refused(DELAYED));
    }

    @Test
    void anAttemptThatWasSurelyNotDoneIsRepeatedWithoutARead() {
        Script script = new Script(NO_LEADER, NO_LEADER, COMMITTED);
        assertThat(Settling.write(script)).isInstanceOf(Result.Committed.class);
        assertThat(script.steps).containsExactly("send", "pause 1", "send", "pause 2", "send");
        fails(new Script(NO_LEADER, NO_LEADER), FailureKind.UNAVAILABLE, Effect.NOT_DONE);
    }

    @Test
    void anUnknownResultIsSettledByARead() {
        Script script = new Script(UNKNOWN, true);
        assertThat(Settling.write(script)).isInstanceOf(Result.Applied.class);
        assertThat(script.steps).containsExactly("send", "pause 1", "read");
    }

    @Test
    void aWriteThatNoReadShowsIsSentAgain() {
        assertThat(Settling.write(new Script(UNKNOWN, false, COMMITTED))).isInstanceOf(Result.Committed.class);
        assertThat(Settling.write(new Script(UNKNOWN, false, NO_LEADER, true))).isInstanceOf(Result.Applied.class);
        assertThat(Settling.write(new Script(UNKNOWN, UNKNOWN.cause(), UNKNOWN, true)))
                .isInstanceOf(Result.Applied.class);
    }

    /** The conflict may be with the first attempt itself. */
    @Test
    void aRefusalAfterAnUnknownResultIsSettledByARead() {
        assertThat(Settling.write(new Script(UNKNOWN, false, CONFLICT, true))).isInstanceOf(Result.Applied.class);
        assertThat(Settling.write(new Script(UNKNOWN, false, CONFLICT, false))).isEqualTo(new Result.Refused(CONFLICT));
        fails(new Script(UNKNOWN, false, CONFLICT, NO_LEADER.cause()), FailureKind.UNAVAILABLE, Effect.UNKNOWN);
    }

    /** The first attempt may take effect once the delay has ended. */
    @Test
    void aRefusalByTheLockDelayDoesNotEndAnUnknownResult() {
        Script script = new Script(UNKNOWN, false, DELAYED, false, true);
        assertThat(Settling.write(script)).isInstanceOf(Result.Applied.class);
        assertThat(script.steps).containsExactly("send", "pause 1", "read", "send", "read", "pause 2", "read");
        fails(new Script(UNKNOWN, false, DELAYED, false), FailureKind.UNAVAILABLE, Effect.UNKNOWN);
    }

    @Test
    void aFailureThatNoRepetitionMendsEndsTheWrite() {
        fails(new Script(DENIED), FailureKind.DENIED, Effect.NOT_DONE);
        fails(new Script(UNKNOWN, false, DENIED), FailureKind.DENIED, Effect.UNKNOWN);
        fails(new Script(UNKNOWN, DENIED.cause()), FailureKind.DENIED, Effect.UNKNOWN);
        fails(new Script(UNKNOWN), FailureKind.UNAVAILABLE, Effect.UNKNOWN);
    }
}
