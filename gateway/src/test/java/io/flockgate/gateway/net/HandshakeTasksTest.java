package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The order of handshake computations, on workers that the test runs. */
class HandshakeTasksTest {
    private final Deque<Runnable> workers = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final HandshakeTasks tasks = new HandshakeTasks(workers::add, 1);

    /** The first letter of a group is its site. */
    private HandshakeTasks.Lane queue(String group, String name) {
        HandshakeTasks.Lane lane = tasks.lane(group.substring(0, 1), group);
        lane.execute(() -> ran.add(name));
        return lane;
    }

    private void runWorkers() {
        while (!workers.isEmpty()) {
            workers.remove().run();
        }
    }

    @Test
    void addressesTakeTurns() {
        for (int i = 0; i < 3; i++) {
            HandshakeTasks.Lane unused = queue("many", "many-" + i);
        }
        HandshakeTasks.Lane unused = queue("one", "one-0");
        runWorkers();

        assertThat(ran).containsExactly("many-0", "one-0", "many-1", "many-2");
    }

    @Test
    void sitesTakeTurnsBeforeTheirGroups() {
        for (String group : List.of("aa", "ab", "ac")) {
            HandshakeTasks.Lane unused = queue(group, group);
        }
        HandshakeTasks.Lane unused = queue("b", "b");
        runWorkers();

        assertThat(ran).containsExactly("aa", "b", "ab", "ac");
    }

    @Test
    void aConnectionThatClosesTakesItsTaskAlong() {
        List<HandshakeTasks.Lane> gone = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            gone.add(queue("attacker", "gone"));
        }
        gone.forEach(HandshakeTasks.Lane::close);
        assertThat(tasks.waiting()).isZero();
        gone.getFirst().execute(() -> ran.add("late"));
        HandshakeTasks.Lane unused = queue("attacker", "alive");
        runWorkers();

        assertThat(ran).containsExactly("alive");
    }

    /** A client may begin a handshake while the process shuts down. */
    @Test
    void aPoolThatHasEndedTakesNoTaskAndDoesNotFailTheConnection() {
        HandshakeTasks ended = new HandshakeTasks(
                work -> {
                    throw new RejectedExecutionException();
                },
                1);
        HandshakeTasks.Lane lane = ended.lane("one", "one");
        lane.execute(() -> ran.add("late"));
        lane.close();
        assertThat(ended.waiting()).isZero();
        assertThat(ran).isEmpty();
    }

    /** An uncaught exception of a worker would end the process with status 3. */
    @Test
    void aTaskThatFailsDoesNotEndItsWorker() {
        tasks.lane("one", "one").execute(() -> {
            throw new RejectedExecutionException("the event loop has ended");
        });
        tasks.lane("two", "two").execute(() -> {
            throw new IllegalStateException("of a test");
        });
        HandshakeTasks.Lane unused = queue("three", "third");
        runWorkers();

        assertThat(ran).containsExactly("third");
    }

    @Test
    void noMoreWorkersStartThanAllowed() {
        HandshakeTasks.Lane unusedFirst = queue("one", "first");
        HandshakeTasks.Lane unusedSecond = queue("two", "second");
        assertThat(workers).hasSize(1);
        runWorkers();
        HandshakeTasks.Lane unusedThird = queue("one", "third");
        assertThat(workers).hasSize(1);
        runWorkers();

        assertThat(ran).containsExactly("first", "second", "third");
    }

    @Test
    void aConnectionMayHaveOneTaskAfterAnother() {
        HandshakeTasks.Lane lane = tasks.lane("one", "one");
        lane.execute(() -> {
            ran.add("first");
            lane.execute(() -> ran.add("second"));
        });
        runWorkers();

        assertThat(ran).containsExactly("first", "second");
    }
}
