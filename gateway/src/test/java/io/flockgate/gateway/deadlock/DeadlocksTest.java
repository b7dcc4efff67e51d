package io.flockgate.gateway.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DeadlocksTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Scene scene = new Scene();
    private Runnable afterFirstPass = () -> {};
    private int passes;

    private final PagedKeys storage = new PagedKeys(List.of(), 1) {
        @Override
        public synchronized Future<KeyPage> inspect(KeyQuery query) {
            assertThat(query.filter()).isEqualTo(KeyFilter.WAITED_FOR);
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

    private Optional<Found> search() {
        return searchAmong(storage::inspect);
    }

    private Optional<Found> searchAmong(Function<KeyQuery, Future<KeyPage>> keys) {
        Future<Optional<Found>> found = Deadlocks.find(keys, tasks::add);
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        return found.result();
    }

    private Found found() {
        return search().orElseThrow();
    }

    @Test
    void withoutACycleOnePassIsEnough() {
        scene.add("1:a>b 2:b>");
        assertThat(found()).isEqualTo(new Found(List.of(), true));
        assertThat(passes).isOne();
    }

    @Test
    void aCycleThatLastsIsFoundWhateverElseChanges() {
        scene.ring(3).add("8:>key-0");
        afterFirstPass = () -> scene.add("9:>key-0 9:>key-1 7:>x");
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
        afterFirstPass = () -> scene.left("key-1");
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void aWaitThatHasBegunAnewIsNoDeadlock() {
        scene.ring(2);
        afterFirstPass = () -> scene.left("key-1").add("1:>key-1");
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void aGrantThatWasMadeAnewIsNoDeadlock() {
        scene.ring(2);
        afterFirstPass = () -> scene.freed("key-1").add("2:key-1>");
        assertThat(found().deadlocks()).isEmpty();
    }

    @Test
    void readersSeeTheDeadlocksAllOfWhoseKeysTheyMayRead() {
        scene.ring(3).add("7:own/a>own/b 8:own/b>own/a");
        Rights rights = Rights.of(List.of("read:own/*", "read:key-1"));
        Found own =
                searchAmong(query -> rights.inspect(storage::inspect, query)).orElseThrow();
        assertThat(own.deadlocks()).hasSize(1);
        assertThat(own.deadlocks().getFirst().links()).hasSize(2);
        assertThat(own.complete()).isTrue();
    }

    @Test
    void tooManyClaimsOfKeysThatMayBeBlockedAreRefused() {
        scene.ring(2);
        for (int i = 0; i < Deadlocks.MAX_CLAIMS / 2 - 2; i++) {
            scene.add((100 + i) + ":lock-" + i + ">lock-" + i);
        }
        assertThat(found().deadlocks()).isNotEmpty();
        scene.add("10:lock>lock");
        assertThat(search()).isEmpty();
    }

    @Test
    void keysWithAFreeSlotDoNotCount() {
        scene.add("free=" + (Deadlocks.MAX_CLAIMS + 2));
        for (int i = 0; i <= Deadlocks.MAX_CLAIMS; i++) {
            scene.add((100 + i) + ":free>");
        }
        scene.add("5:>free").ring(2);
        assertThat(found().deadlocks()).hasSize(1);
    }

    @Test
    void holdersThatAreNotShownMakeTheSearchIncomplete() {
        scene.ring(2).add("pool=1+ 3:pool>pool");
        assertThat(found().complete()).isFalse();
        assertThat(found().deadlocks()).hasSize(1);
    }
}
