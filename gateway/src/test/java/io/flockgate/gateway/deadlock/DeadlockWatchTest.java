package io.flockgate.gateway.deadlock;

import static io.flockgate.gateway.deadlock.Scene.client;
import static io.flockgate.gateway.deadlock.Scene.conn;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.testsupport.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watch and its log, with a clock that the test advances. */
class DeadlockWatchTest {
    private long now = -5;
    private final List<Long> pauses = new ArrayList<>();
    private Runnable next = () -> {};
    private Found found = new Found(List.of(), true);
    private Future<Found> answer = Future.succeededFuture();
    private boolean waiters = true;
    private int searches;
    private final DeadlockWatch watch = new DeadlockWatch(this::search, () -> waiters, () -> now, (millis, task) -> {
        pauses.add(millis);
        next = task;
    });
    private final LogLines warnings = new LogLines(DeadlockWatch.class);

    @BeforeEach
    void start() {
        watch.start();
    }

    @AfterEach
    void stop() {
        warnings.close();
    }

    private Future<Found> search() {
        searches++;
        return answer.succeeded() ? Future.succeededFuture(found) : answer;
    }

    private void look() {
        now += TimeUnit.MILLISECONDS.toNanos(pauses.getLast());
        next.run();
    }

    private static Found of(Scene scene) {
        return new Found(WaitGraph.deadlocks(scene.details()), true);
    }

    @Test
    void aDeadlockThatLastsIsToldOnceAMinute() {
        found = of(new Scene().ring(2));
        look();
        assertThat(warnings.all()).isEmpty();
        look();
        assertThat(warnings.all()).hasSize(1);
        assertThat(warnings.all().getFirst())
                .contains("clients wait for each other")
                .contains("deadlocks=1", "by=client", "clients=2")
                .contains("conn#1@gate-1 holds key-0 waits for key-1; conn#2@gate-1 holds key-1 waits for key-0");
        look();
        look();
        look();
        assertThat(warnings.all()).hasSize(1);
        look();
        assertThat(warnings.all()).hasSize(2);
        assertThat(pauses).containsOnly(15_000L);
    }

    @Test
    void aDeadlockThatIsAnotherEachTimeIsNotTold() {
        for (int i = 0; i < 10; i++) {
            Scene scene = new Scene();
            for (int n = 0; n < i; n++) {
                scene.holds(conn(100), "fill-" + n);
            }
            found = of(scene.ring(2));
            look();
        }
        assertThat(warnings.all()).isEmpty();
        assertThat(watch.count(false)).isEqualTo(1);
    }

    @Test
    void eachOfSeveralIsToldInTurn() {
        found = of(new Scene()
                .link(conn(1), "a", "b")
                .link(conn(2), "b", "a")
                .link(conn(3), "c", "d")
                .link(conn(4), "d", "c"));
        for (int i = 0; i < 6; i++) {
            look();
        }
        assertThat(warnings.all()).hasSize(2);
        assertThat(warnings.all().get(0)).contains("deadlocks=2").contains("holds a waits for b");
        assertThat(warnings.all().get(1)).contains("holds c waits for d");
    }

    @Test
    void anIncompleteSearchWithoutADeadlockCountsNone() {
        found = new Found(List.of(), false);
        look();
        assertThat(watch.count(false)).isNaN();
        found = new Found(of(new Scene().ring(2)).deadlocks(), false);
        look();
        assertThat(watch.count(false)).isEqualTo(1);
        assertThat(watch.count(true)).isNaN();
    }

    @Test
    void withoutAWaiterNothingIsSearchedOrCounted() {
        waiters = false;
        found = of(new Scene().ring(2));
        look();
        look();
        assertThat(searches).isZero();
        assertThat(watch.count(false)).isZero();
        assertThat(warnings.all()).isEmpty();

        waiters = true;
        look();
        look();
        assertThat(searches).isEqualTo(2);
        assertThat(watch.count(false)).isEqualTo(1);
        assertThat(warnings.all()).hasSize(1);

        waiters = false;
        look();
        assertThat(searches).isEqualTo(2);
        assertThat(watch.count(false)).isZero();
        assertThat(pauses).containsOnly(15_000L);
    }

    /**
     * The gateway of each waiter searches for the deadlock and finds it, wherever the others wait.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10})
    void oneWaiterOfThisGatewayIsEnough(int size) {
        Scene scene = new Scene();
        for (int i = 0; i < size; i++) {
            String gateway = i == size - 1 ? "gate-1" : "gate-2";
            scene.link(client(i + 1, null, gateway), "key-" + i, "key-" + (i + 1) % size);
        }
        found = of(scene);
        look();
        look();
        assertThat(watch.count(false)).isEqualTo(1);
        assertThat(warnings.all()).hasSize(1);
        assertThat(warnings.all().getFirst()).contains("clients=" + size);
    }

    @Test
    void theGatewayOfAHolderThatWaitsElsewhereSaysNothing() {
        found = of(new Scene()
                .holds(client(1, "billing", "gate-1"), "a")
                .waits(client(2, "billing", "gate-2"), "b")
                .holds(client(3, "orders", "gate-1"), "b")
                .waits(client(4, "orders", "gate-2"), "a"));
        look();
        look();
        assertThat(watch.count(true)).isEqualTo(1);
        assertThat(warnings.all()).isEmpty();
    }

    @Test
    void theGatewayOfNoneOfThemSaysNothing() {
        found = of(new Scene().link(client(1, null, "gate-2"), "a", "b").link(client(2, null, "gate-3"), "b", "a"));
        look();
        look();
        assertThat(warnings.all()).isEmpty();
        assertThat(watch.count(false)).isEqualTo(1);
    }

    @Test
    void namesAndKeysAreQuotedAndLongChainsAreCut() {
        found = of(new Scene()
                .link(client(1, "a;b=\"", "gate-1"), "line\u0001feed", "x".repeat(200))
                .link(client(2, null, "gate-1"), "x".repeat(200), "line\u0001feed"));
        String chain = DeadlockWatch.chain(found.deadlocks().getFirst());
        assertThat(chain)
                .contains("\"a;b=\\\"\"#1@gate-1", "\"line\\x01feed\"")
                .doesNotContain("\u0001", "x".repeat(65));
        String cut = DeadlockWatch.chain(of(new Scene().ring(13)).deadlocks().getFirst());
        assertThat(cut).endsWith("; 3 more").contains("key-9").doesNotContain("key-12 waits");
    }

    @Test
    void theCountIsThatOfTheLastSearch() {
        assertThat(watch.count(true)).isNaN();
        found = of(new Scene()
                .holds(client(1, "billing", "gate-1"), "a")
                .waits(client(2, "billing", "gate-1"), "b")
                .holds(client(3, "orders", "gate-1"), "b")
                .waits(client(4, "orders", "gate-1"), "a"));
        look();
        assertThat(watch.count(true)).isEqualTo(1);
        assertThat(watch.count(false)).isZero();
        answer = Future.failedFuture("down");
        look();
        assertThat(watch.count(true)).isNaN();
    }

    @Test
    void aSlowSearchIsFollowedByALongPause() {
        Promise<Found> slow = Promise.promise();
        answer = slow.future();
        look();
        now += TimeUnit.SECONDS.toNanos(2);
        slow.complete(found);
        assertThat(pauses.getLast()).isEqualTo(200_000);
    }
}
