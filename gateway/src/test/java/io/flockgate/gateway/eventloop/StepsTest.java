package io.flockgate.gateway.eventloop;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StepsTest {
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();

    private void runTurns() {
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
    }

    private Future<String> run(Supplier<Future<String>> step, Predicate<String> more) {
        Future<String> done = Steps.run(turns::add, step, more, () -> "done");
        runTurns();
        return done;
    }

    @Test
    void stepsTakeTurnsWithOthersUntilTheLast() {
        Iterator<String> values = List.of("first", "last").iterator();
        Future<String> done = Steps.run(
                turns::add,
                () -> {
                    turns.add(() -> ran.add("another's"));
                    return Future.succeededFuture(values.next());
                },
                value -> {
                    ran.add(value);
                    return value.equals("first");
                },
                () -> String.join(" ", ran));
        assertThat(ran).isEmpty();

        runTurns();

        assertThat(done.result()).isEqualTo("first another's last another's");
    }

    @Test
    void aTaskWaitsForTheResultOfAStep() {
        Promise<String> result = Promise.promise();
        Future<String> done = run(result::future, value -> false);
        assertThat(done.isComplete()).isFalse();

        result.complete("read");
        runTurns();

        assertThat(done.result()).isEqualTo("done");
    }

    @Test
    void aStepThatFailsFailsTheTask() {
        Future<String> done = run(
                () -> {
                    throw new OutOfMemoryError("too much");
                },
                value -> false);

        assertThat(done.cause()).hasMessage("too much");
    }

    @Test
    void aResultThatCannotBeTakenFailsTheTask() {
        Future<String> done = run(() -> Future.succeededFuture("read"), value -> {
            throw new IllegalStateException("a bug with what was " + value);
        });

        assertThat(done.cause()).hasMessage("a bug with what was read");
    }

    @Test
    void aResultThatFailsFailsTheTask() {
        assertThat(run(() -> Future.failedFuture("down"), ran::add).cause()).hasMessage("down");
        assertThat(ran).isEmpty();
    }
}
