package io.flockgate.gateway.deadlock;

import static io.flockgate.gateway.deadlock.Scene.conn;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeadlocksTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Scene scene = new Scene();
    private Runnable afterFirstPass = () -> {};
    private int passes;
    private boolean down;
    private boolean broken;
    private boolean empty;

    /** Enough for some two hundred clients. */
    private static final long HEAP = 1_000_000;

    private final PagedKeys storage = new PagedKeys(List.of(), 1) {
        @Override
        public synchronized Future<KeyPage> inspect(KeyQuery query) {
            assertThat(query.filter()).isEqualTo(KeyFilter.WAITED_FOR);
            if (broken) {
                throw new IllegalStateException("a storage that is broken");
            }
            if (empty) {
                return Future.succeededFuture();
            }
            if (down) {
                return Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "down"));
            }
            List<KeyDetail> details = scene.details().stream()
                    .filter(each -> each.summary().waiters() > 0)
                    .toList();
            passes++;
            if (passes == 1) {
                afterFirstPass.run();
            }
            return Future.succeededFuture(
                    new KeyPage(details.stream().map(KeyDetail::summary).toList(), details, null));
        }
    };
    private final Deadlocks deadlocks = new Deadlocks(storage, tasks::add, HEAP);

    private Found found() {
        Future<Found> found = deadlocks.find();
        runAll();
        assertThat(found.succeeded()).isTrue();
        return found.result();
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void withoutACycleOnePassIsEnough() {
        scene.link(conn(1), "a", "b").holds(conn(2), "b");
        assertThat(found()).isEqualTo(new Found(List.of(), true));
        assertThat(passes).isOne();
    }

    @Test
    void aCycleThatLastsIsFound() {
        scene.ring(3);
        assertThat(found().deadlocks()).hasSize(1);
        assertThat(passes).isEqualTo(2);
    }

    /**
     * The passes read one key after another, so one pass may show a wait that had ended before a
     * grant that it also shows.
     */
    @Test
    void aWaitThatEndsMeanwhileIsNoDeadlock() {
        scene.ring(2);
        afterFirstPass = () -> scene.leaves("key-1");
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void aWaitThatHasBegunAnewIsNoDeadlock() {
        scene.ring(2);
        afterFirstPass = () -> scene.queuesAgain("key-1");
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void aGrantThatHasChangedHandsIsNoDeadlock() {
        scene.ring(2);
        afterFirstPass = () -> scene.changesHands("key-1", conn(2));
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void otherChangesHideNoDeadlock() {
        scene.ring(3).waits(conn(8), "key-0");
        afterFirstPass = () -> scene.waits(conn(9), "key-0", "key-1").waits(conn(7), "x");
        assertThat(found().deadlocks()).hasSize(1);
    }

    @Test
    void whoAsksDuringASearchGetsTheNextOne() {
        Future<Found> first = deadlocks.find();
        tasks.remove().run();
        scene.ring(2);
        Future<Found> second = deadlocks.find();
        Future<Found> third = deadlocks.find();
        runAll();
        assertThat(first.result().deadlocks()).isEmpty();
        assertThat(second.result().deadlocks()).hasSize(1);
        assertThat(third.result()).isSameAs(second.result());
        assertThat(passes).isEqualTo(3);
        assertThat(found().deadlocks()).hasSize(1);
    }

    @Test
    void afterAFailureTheNextSearchGoesOn() {
        down = true;
        Future<Found> failed = deadlocks.find();
        Future<Found> next = deadlocks.find();
        tasks.remove().run();
        assertThat(failed.cause()).hasMessage("down");
        down = false;
        scene.ring(2);
        runAll();
        assertThat(next.result().deadlocks()).hasSize(1);
    }

    @Test
    void afterASearchThatThrowsTheNextOneGoesOn() {
        broken = true;
        Future<Found> failed = deadlocks.find();
        runAll();
        assertThat(failed.cause()).hasMessage("a storage that is broken");
        broken = false;
        empty = true;
        failed = deadlocks.find();
        runAll();
        assertThat(failed.cause()).isInstanceOf(NullPointerException.class);
        empty = false;
        scene.ring(2);
        assertThat(found().deadlocks()).hasSize(1);
    }

    @Test
    void readersSeeTheDeadlocksAllOfWhoseKeysTheyMayRead() {
        scene.ring(3).link(conn(7), "own/a", "own/b").link(conn(8), "own/b", "own/a");
        Found own = found().among(key ->
                key.toString().startsWith("own/") || key.toString().equals("key-1"));
        assertThat(own.deadlocks()).hasSize(1);
        assertThat(own.deadlocks().getFirst().links()).hasSize(2);
        assertThat(own.complete()).isTrue();
    }

    @Test
    void keysBeyondTheMemoryAreNotSearchedAndTheResultSaysSo() {
        scene.ring(2);
        for (int i = 0; i < 1000; i++) {
            scene.link(conn(100 + i), "lock-" + i, "lock-" + (i + 1));
        }
        scene.link(conn(5000), "a", "b").link(conn(5001), "b", "a");
        Found found = found();
        assertThat(found.complete()).isFalse();
        assertThat(found.deadlocks()).hasSize(1);
        assertThat(found.deadlocks().getFirst().links()).hasSize(2);
    }

    @Test
    void aKeyThatIsTooLargeHidesNoOther() {
        scene.semaphore("large", 1000);
        for (int i = 0; i < 1000; i++) {
            scene.link(conn(100 + i), "large", "key-0");
        }
        scene.waits(conn(100), "large").link(conn(1), "a", "b").link(conn(2), "b", "a");
        Found found = found();
        assertThat(found.complete()).isFalse();
        assertThat(found.deadlocks()).hasSize(1);
    }

    /** Many claims for keys that are not blocked do not add to what a search keeps in memory. */
    @Test
    void keysWithAFreeSlotTakeNoMemory() {
        for (int i = 0; i < 1000; i++) {
            scene.semaphore("free-" + i, 5).link(conn(100 + i), "free-" + i, "free-" + i);
        }
        scene.ring(2);
        Found found = found();
        assertThat(found.complete()).isTrue();
        assertThat(found.deadlocks()).hasSize(1);
    }

    @Test
    void waitersThatAreNotShownMakeTheSearchIncomplete() {
        scene.ring(2).more("key-0");
        assertThat(found().complete()).isFalse();
    }

    @Test
    void aCallerThatWithdrawsGetsNoResult() {
        List<Promise<Found>> callers =
                Stream.generate(Promise::<Found>promise).limit(4).toList();
        callers.forEach(deadlocks::find);
        deadlocks.withdraw(callers.get(0));
        deadlocks.withdraw(callers.get(1));
        runAll();
        assertThat(callers.stream().map(each -> each.future().isComplete())).containsExactly(false, false, true, true);
        assertThat(passes).isEqualTo(2);
    }

    @Test
    void ifAllCallersWithdrawTheNextSearchIsLeftOut() {
        Future<Found> first = deadlocks.find();
        Promise<Found> second = Promise.promise();
        deadlocks.find(second);
        deadlocks.withdraw(second);
        runAll();
        assertThat(first.succeeded()).isTrue();
        assertThat(passes).isOne();
        assertThat(found()).isEqualTo(new Found(List.of(), true));
    }
}
