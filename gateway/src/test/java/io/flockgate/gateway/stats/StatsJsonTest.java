package io.flockgate.gateway.stats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatsJsonTest {
    private static final long SECOND = 1_000_000_000L;

    private static KeySummary key(Key key, Kind kind, int holders, int waiters) {
        return KeySummaries.of(
                key, kind, kind == Kind.LOCK ? 1 : 5, holders, waiters, holders > 0 ? 42 : 0, 0, 0, 3 * SECOND / 2);
    }

    private static KeySummary lock(String key) {
        return key(Key.of(key), Kind.LOCK, 1, 0);
    }

    private static List<String> parts(PagedKeys storage) {
        StatsJson json = new StatsJson(storage::inspect, 3);
        List<String> parts = new ArrayList<>();
        while (json.hasNext()) {
            Future<Buffer> part = json.next();
            assertThat(part.succeeded()).isTrue();
            parts.add(part.result().toString(UTF_8));
        }
        return parts;
    }

    private static String document(PagedKeys storage) {
        return String.join("", parts(storage));
    }

    private static String document(KeySummary... keys) {
        return document(new PagedKeys(List.of(keys), 512));
    }

    @Test
    void eachKeyIsInItsArrayWithItsMembersInOrder() {
        assertThat(document(
                        KeySummaries.of(Key.of("idle-s"), Kind.SEMAPHORE, 3, 0, 0, 0, 0, 0, 2 * SECOND),
                        KeySummaries.of(Key.of("held"), Kind.LOCK, 1, 1, 2, -1, 5 * SECOND / 2, SECOND, 0),
                        KeySummaries.of(Key.of("idle-l"), Kind.LOCK, 1, 0, 0, 0, 0, 0, SECOND / 4),
                        KeySummaries.of(Key.of("pool"), Kind.SEMAPHORE, 9, 4, 1, 42, SECOND, SECOND, 0),
                        KeySummaries.of(Key.of("wanted"), Kind.LOCK, 1, 0, 1, 0, 0, 0, 0),
                        KeySummaries.of(Key.of("one"), Kind.SEMAPHORE, 1, 1, 0, 42, SECOND, SECOND, 0)))
                .isEqualTo("{\"connections\":3,\"locks\":["
                        + "{\"key\":\"held\",\"owner_conn_id\":18446744073709551615,\"lease_expires_in_s\":2.5,\"waiters\":2},"
                        + "{\"key\":\"wanted\",\"owner_conn_id\":0,\"lease_expires_in_s\":0,\"waiters\":1}"
                        + "],\"semaphores\":["
                        + "{\"key\":\"pool\",\"limit\":9,\"holders\":4,\"waiters\":1},"
                        + "{\"key\":\"one\",\"limit\":1,\"holders\":1,\"waiters\":0}"
                        + "],\"idle_locks\":[{\"key\":\"idle-l\",\"idle_s\":0.25}"
                        + "],\"idle_semaphores\":[{\"key\":\"idle-s\",\"idle_s\":2}]}");
    }

    @Nested
    class ManyKeys {
        private final List<KeySummary> keys = IntStream.range(0, 1500)
                .mapToObj(i -> key(Key.of("key-" + i), i % 2 == 0 ? Kind.LOCK : Kind.SEMAPHORE, i % 3 == 0 ? 0 : 1, 0))
                .toList();

        @ParameterizedTest
        @ValueSource(ints = {1, 7, 511, 512})
        void areAllListedOnceHoweverTheStoragePages(int mostPerPage) {
            String text = document(new PagedKeys(keys, mostPerPage));
            assertThat(text).doesNotContain(" ");
            JsonObject document = new JsonObject(text);
            assertThat(document.fieldNames())
                    .containsExactly("connections", "locks", "semaphores", "idle_locks", "idle_semaphores");
            assertThat(names(document, "locks")).isEqualTo(names(Kind.LOCK, false));
            assertThat(names(document, "semaphores")).isEqualTo(names(Kind.SEMAPHORE, false));
            assertThat(names(document, "idle_locks")).isEqualTo(names(Kind.LOCK, true));
            assertThat(names(document, "idle_semaphores")).isEqualTo(names(Kind.SEMAPHORE, true));
        }

        private List<String> names(Kind kind, boolean idle) {
            return keys.stream()
                    .filter(key -> key.kind() == kind && key.idle() == idle)
                    .map(key -> key.key().toString())
                    .toList();
        }

        private static List<String> names(JsonObject document, String array) {
            JsonArray found = document.getJsonArray(array);
            return IntStream.range(0, found.size())
                    .mapToObj(i -> found.getJsonObject(i).getString("key"))
                    .toList();
        }

        @Test
        void comeInPartsOfAFewKeys() {
            assertThat(parts(new PagedKeys(keys, 512)))
                    .allSatisfy(part -> assertThat(part.length()).isLessThan(40 * 80));
        }

        @Test
        void onOnePageAreAskedForOnce() {
            PagedKeys storage = new PagedKeys(keys.subList(0, 512), 512);
            assertThat(document(storage)).contains("key-511");
            assertThat(storage.queries()).isOne();
        }
    }

    @Test
    void aFailureEndsTheDocument() {
        PagedKeys storage = new PagedKeys(List.of(lock("a"), lock("b")), 1);
        StatsJson json = new StatsJson(storage::inspect, 1);
        assertThat(json.next().succeeded()).isTrue();
        assertThat(json.next().succeeded()).isTrue();
        StorageException failure = new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no answer");
        storage.failFromNowOn(failure);
        assertThat(json.next().cause()).isEqualTo(failure);
    }
}
