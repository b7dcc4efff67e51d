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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeadlocksTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Scene scene = new Scene();
    private Runnable afterFirstPass = () -> {};
    private int passes;
    private boolean down;
    private boolean broken;

    private final PagedKeys storage = new PagedKeys(List.of(), 1) {
        @Override
        public synchronized Future<KeyPage> inspect(KeyQuery query) {
            assertThat(query.filter()).isEqualTo(KeyFilter.WAITED_FOR);
            if (broken) {
                throw new IllegalStateException("a storage that is broken");
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
    private final Deadlocks deadlocks = new Deadlocks(storage, tasks::add);

    private Found found() {
        Future<Optional<Found>> found = deadlocks.find();
        runAll();
        assertThat(found.succeeded()).isTrue();
        return found.result().orElseThrow();
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
    void aSearchBeginsAfterThoseBeforeIt() {
        Future<Optional<Found>> first = deadlocks.find();
        tasks.remove().run();
        scene.ring(2);
        Future<Optional<Found>> second = deadlocks.find();
        runAll();
        assertThat(first.result().orElseThrow().deadlocks()).isEmpty();
        assertThat(second.result().orElseThrow().deadlocks()).hasSize(1);
        assertThat(passes).isEqualTo(3);
    }

    @Test
    void afterASearchThatFailsTheNextOneGoesOn() {
        down = true;
        Future<Optional<Found>> failed = deadlocks.find();
        Future<Optional<Found>> next = deadlocks.find();
        tasks.remove().run();
        assertThat(failed.cause()).hasMessage("down");
        down = false;
        scene.ring(2);
        runAll();
        assertThat(next.result().orElseThrow().deadlocks()).hasSize(1);
        broken = true;
        failed = deadlocks.find();
        runAll();
        assertThat(failed.cause()).hasMessage("a storage that is broken");
        broken = false;
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
    void tooManyClaimsOfKeysThatMayBeBlockedAreRefused() {
        scene.ring(2);
        for (int i = 0; i < Deadlocks.MAX_CLAIMS / 2 - 2; i++) {
            scene.link(conn(100 + i), "lock-" + i, "lock-" + i);
        }
        assertThat(found().deadlocks()).isNotEmpty();
        scene.link(conn(10), "lock", "lock");
        Future<Optional<Found>> refused = deadlocks.find();
        runAll();
        assertThat(refused.result()).isEmpty();
    }

    /** Claims for keys that are not blocked do not count. */
    @Test
    void keysWithAFreeSlotDoNotCount() {
        scene.semaphore("free", Deadlocks.MAX_CLAIMS + 2);
        for (int i = 0; i <= Deadlocks.MAX_CLAIMS; i++) {
            scene.holds(conn(100 + i), "free");
        }
        scene.waits(conn(5), "free").ring(2);
        assertThat(found().deadlocks()).hasSize(1);
    }

    @Test
    void waitersThatAreNotShownMakeTheSearchIncomplete() {
        scene.ring(2).more("key-0");
        assertThat(found().complete()).isFalse();
    }
}
