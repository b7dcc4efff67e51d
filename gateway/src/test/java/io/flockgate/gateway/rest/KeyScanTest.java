package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rest.KeyScan.Listing;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** StepsTest shows how a pass takes turns and fails. */
class KeyScanTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    /**
     * Every tenth key has been held for as many seconds as its number, and has up to six waiters.
     */
    private static List<KeySummary> keys(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i % 10 == 0
                        ? KeySummaries.of(Key.of("key-" + i), Kind.LOCK, 1, 1, i / 10 % 7, 1, 1, 1_000_000_000L * i, 0)
                        : KeySummaries.of(Key.of("key-" + i), Kind.LOCK, 1, 0, 0, 0, 0, 0, 5))
                .toList();
    }

    private Listing found(PagedKeys storage, String query) {
        Future<Listing> found =
                new KeyScan(storage::inspect, false, KeysQuery.parse(query), tasks::add, () -> false).run();
        runAll();
        assertThat(found.succeeded()).isTrue();
        return found.result();
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private static List<String> names(Listing found) {
        return found.page().keys().stream().map(each -> each.key().toString()).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 1000})
    void theLongestHoldsComeFirstWhateverThePagesOfTheStorage(int page) {
        Listing found = found(new PagedKeys(keys(995), page), "sort=longest_hold&limit=3");
        assertThat(names(found)).containsExactly("key-990", "key-980", "key-970");
        assertThat(found.matching()).isEqualTo(995);
        assertThat(found.page().next()).isNull();
    }

    @Test
    void theLongestQueuesComeFirstAndAmongThemTheLongestHolds() {
        Listing found = found(new PagedKeys(keys(300), 64), "sort=longest_queue&limit=4&held=true");
        assertThat(names(found)).containsExactly("key-270", "key-200", "key-130", "key-60");
        assertThat(found.matching()).isEqualTo(30);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 1000})
    void aPartOfTheKeyIsLookedForPageByPage(int page) {
        PagedKeys storage = new PagedKeys(keys(200), page);
        List<String> names = new ArrayList<>();
        Listing found = found(storage, "contains=y-1&limit=7");
        while (found.page().next() != null) {
            assertThat(found.page().keys()).hasSizeLessThanOrEqualTo(7);
            names.addAll(names(found));
            found = found(
                    storage,
                    "contains=y-1&limit=7&after="
                            + PageQuery.cursor(
                                    Objects.requireNonNull(found.page().next())));
        }
        names.addAll(names(found));
        assertThat(names)
                .hasSize(111)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("key-1"))
                .contains("key-1", "key-10", "key-199");
    }

    @Test
    void aFilterIsFollowedUntilThePageIsFull() {
        PagedKeys storage = new PagedKeys(keys(1000), 10);
        Listing found = found(storage, "held=true&limit=5");
        assertThat(names(found)).containsExactly("key-0", "key-10", "key-20", "key-30", "key-40");
        assertThat(found.page().next()).isNotNull();
        assertThat(found.matching()).isNegative();
    }

    /** Hundreds of keys that the reader may not see must not cause empty pages. */
    @Test
    void keysThatMayNotBeReadAreNeitherListedNorNamedByACursor() {
        List<KeySummary> keys = IntStream.range(0, 1_500)
                .mapToObj(i -> Key.of((i % 150 == 0 ? "ci/" : "prod/") + i))
                .map(key -> KeySummaries.of(key, Kind.LOCK, 1, 1, 0, 1, 1, 1, 0))
                .toList();
        Rights rights = Rights.of(List.of("read:ci/*"));
        List<String> names = new ArrayList<>();
        String after = "";
        do {
            int before = names.size();
            KeysQuery query = KeysQuery.parse("limit=3" + after);
            Future<Listing> page = new KeyScan(
                            asked -> rights.inspect(new PagedKeys(keys, 1)::inspect, asked),
                            true,
                            query,
                            tasks::add,
                            () -> false)
                    .run();
            runAll();
            names.addAll(names(page.result()));
            Key next = page.result().page().next();
            assertThat(next == null || (names.size() > before && names.contains(next.toString())))
                    .isTrue();
            after = next == null ? "" : "&after=" + PageQuery.cursor(next);
        } while (!after.isEmpty());
        assertThat(names).hasSize(10).allMatch(name -> name.startsWith("ci/"));
    }

    @Test
    void onePageOfAnAnswerHasABound() {
        PagedKeys storage = new PagedKeys(keys(1000), 1);
        Listing found = found(storage, "kind=semaphore");
        assertThat(storage.queries()).isEqualTo(128);
        assertThat(names(found)).isEmpty();
        assertThat(found.page().next()).isEqualTo(Key.of("key-127"));
    }

    @Test
    void nobodyReadsOnForAClientThatHasGone() {
        PagedKeys storage = new PagedKeys(keys(100), 10);
        AtomicBoolean gone = new AtomicBoolean();
        Future<Listing> found =
                new KeyScan(storage::inspect, false, KeysQuery.parse("sort=longest_hold"), tasks::add, gone::get).run();
        tasks.remove().run();
        gone.set(true);
        runAll();
        assertThat(found.failed()).isTrue();
        assertThat(storage.queries()).isEqualTo(1);
    }
}
