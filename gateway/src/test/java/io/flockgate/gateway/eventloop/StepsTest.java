package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class StepsTest {
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final Steps<String> steps = new Steps<>(turns::add);

    private void runTurns() {
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
    }

    @Test
    void stepsTakeTurnsWithOthers() {
        steps.next(() -> {
            ran.add("first");
            steps.next(() -> steps.complete("done"));
        });
        turns.add(() -> ran.add("another's"));
        assertThat(ran).isEmpty();

        runTurns();

        assertThat(ran).containsExactly("first", "another's");
        assertThat(steps.future().result()).isEqualTo("done");
    }

    @Test
    void aStepWithAResultWaitsForIt() {
        Promise<String> result = Promise.promise();
        steps.with(result.future(), steps::complete);
        assertThat(steps.future().isComplete()).isFalse();

        result.complete("read");

        assertThat(steps.future().result()).isEqualTo("read");
    }

    @Test
    void aStepThatFailsFailsTheTask() {
        steps.next(() -> {
            throw new OutOfMemoryError("too much");
        });

        runTurns();

        assertThat(steps.future().cause()).hasMessage("too much");
    }

    @Test
    void aStepWithAResultThatFailsFailsTheTask() {
        steps.with(Future.succeededFuture("read"), read -> {
            throw new IllegalStateException("a bug with what was " + read);
        });

        assertThat(steps.future().cause()).hasMessage("a bug with what was read");
    }

    @Test
    void aResultThatFailsFailsTheTask() {
        steps.with(Future.failedFuture("down"), read -> ran.add("never"));

        assertThat(steps.future().cause()).hasMessage("down");
        assertThat(ran).isEmpty();
    }
}
