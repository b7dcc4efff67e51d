package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.WaitCounts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

abstract class DetailPageCases extends StorageCases {
    private static final int SLOTS = 10;
    private static final Claim SEMAPHORE = TestClaims.semaphore(KEY, SLOTS);

    private List<HeldGrant> holdAll() {
        List<HeldGrant> held = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            held.add(hold(SEMAPHORE));
        }
        return held;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 9, 10, 11, Integer.MAX_VALUE})
    @DisplayName("has every holder once, oldest first, whatever the size of the pages")
    void everyHolderOnce(int size) {
        List<HeldGrant> held = holdAll();

        assertThat(followed(storage(), size)).isEqualTo(fences(held));
    }

    @Test
    @DisplayName("is the same through every gateway")
    void throughAnotherGateway() {
        List<HeldGrant> held = holdAll();

        assertThat(followed(peer(), 4)).isEqualTo(fences(held));
    }

    @Test
    @DisplayName("goes on after a holder that has gone")
    void afterOneThatHasGone() {
        List<HeldGrant> held = holdAll();
        HeldGrant last = held.get(2);
        release(last);
        release(held.get(3));

        KeyDetail page = page(storage(), last.fence(), 2);

        assertThat(shown(page)).isEqualTo(fences(held.subList(4, 6)));
        assertThat(page.moreHolders()).isTrue();
    }

    @Test
    @DisplayName("counts all holders and waiters, and shows the beginning of the queue on every page")
    void countsAll() {
        List<HeldGrant> held = holdAll();
        List<QueuedClaim> queue = List.of(queue(SEMAPHORE), queue(SEMAPHORE), queue(SEMAPHORE));

        for (long after : new long[] {0, held.get(4).fence(), held.getLast().fence()}) {
            KeyDetail page = page(storage(), after, 2);
            assertThat(page.summary().holders()).isEqualTo(SLOTS);
            assertThat(page.summary().waiters()).isEqualTo(3);
            assertThat(page.summary().ownerId())
                    .isEqualTo(held.getFirst().claimant().id());
            assertThat(page.waiters())
                    .extracting(each -> each.client().id())
                    .containsExactly(
                            queue.get(0).claimant().id(),
                            queue.get(1).claimant().id());
        }
    }

    @Test
    @DisplayName("counts the waits of all waiters if it is asked to")
    void countsWaits() {
        List<HeldGrant> held = holdAll();
        List<QueuedClaim> queue = List.of(queue(SEMAPHORE), queue(SEMAPHORE), queue(SEMAPHORE));
        long last = held.getLast().fence();

        List<Integer> counts = detail(storage(), new KeyDetailQuery(KEY, last, 2, true))
                .waits()
                .counts();
        assertThat(counts.stream().mapToInt(each -> each).sum()).isEqualTo(queue.size());
        assertThat(counts.getLast()).as("over an hour").isZero();
        assertThat(detail(storage(), new KeyDetailQuery(KEY, last, 2)).waits()).isEqualTo(WaitCounts.NONE);
    }

    @Test
    @DisplayName("of a lock has its holder, and nothing after it")
    void ofALock() {
        HeldGrant holder = hold(TestClaims.lock(KEY));

        assertThat(shown(page(storage(), 0, 1))).containsExactly(holder.fence());
        assertThat(page(storage(), 0, 1).moreHolders()).isFalse();
        KeyDetail after = page(storage(), holder.fence(), 1);
        assertThat(after.holders()).isEmpty();
        assertThat(after.moreHolders()).isFalse();
        assertThat(after.summary().holders()).isEqualTo(1);
    }

    @Test
    @DisplayName("takes fences as unsigned")
    void unsignedFences() {
        hold(SEMAPHORE);

        assertThat(page(storage(), -1, 1).holders()).isEmpty();
    }

    private static List<Long> followed(LockStorage storage, int size) {
        List<Long> found = new ArrayList<>();
        KeyDetail page = page(storage, 0, size);
        found.addAll(shown(page));
        while (page.moreHolders()) {
            assertThat(page.holders()).hasSize(size);
            assertThat(found).hasSizeLessThan(SLOTS);
            page = page(storage, found.getLast(), size);
            found.addAll(shown(page));
        }
        return found;
    }

    private static KeyDetail page(LockStorage storage, long after, int limit) {
        return detail(storage, new KeyDetailQuery(KEY, after, limit));
    }

    private static KeyDetail detail(LockStorage storage, KeyDetailQuery query) {
        return Await.result(storage.inspect(query)).orElseThrow();
    }

    private static List<Long> shown(KeyDetail page) {
        return page.holders().stream().map(HolderView::fence).toList();
    }

    private static List<Long> fences(List<HeldGrant> held) {
        return held.stream().map(HeldGrant::fence).toList();
    }
}
