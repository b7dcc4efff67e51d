package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.LockStorage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class ListingCases extends StorageCases {
    @Test
    @DisplayName("is empty at first, and then has every key once, in one order whatever the size of its pages")
    void everyKeyOnce() {
        assertThat(list("", 10)).isEmpty();
        Set<Key> made = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            Key key = Key.of("key-" + i);
            hold(i % 2 == 0 ? TestClaims.lock(key) : TestClaims.semaphore(key, i));
            made.add(key);
        }

        List<Key> all = list("", 1_000_000);
        assertThat(all).containsExactlyInAnyOrderElementsOf(made);
        for (int size : new int[] {1, 7, 59, 60, 61}) {
            assertThat(list("", size)).isEqualTo(all);
        }
    }

    @Test
    @DisplayName("has held, queued for and idle keys, through every gateway")
    void heldAndIdle() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        queue(TestClaims.lock(KEY));
        release(hold(TestClaims.lock(OTHER_KEY)));

        assertThat(list("", 10)).containsExactlyInAnyOrder(KEY, OTHER_KEY);
        assertThat(list(peer(), new byte[0], 10)).containsExactlyInAnyOrder(KEY, OTHER_KEY);
        stillHeld(holder);
    }

    @Test
    @DisplayName("may be asked for a prefix")
    void prefix() {
        for (String name : List.of("a", "ab", "abc", "abd", "b", "ba", "A", "a/b", "é", "ê")) {
            hold(TestClaims.lock(Key.of(name)));
        }

        assertThat(list("a", 2)).extracting(Key::toString).containsExactlyInAnyOrder("a", "ab", "abc", "abd", "a/b");
        assertThat(list("ab", 100)).extracting(Key::toString).containsExactlyInAnyOrder("ab", "abc", "abd");
        assertThat(list("abc", 1)).extracting(Key::toString).containsExactly("abc");
        assertThat(list("abcd", 1)).isEmpty();
        assertThat(list("/", 1)).isEmpty();
    }

    @Test
    @DisplayName("may be asked for a prefix of any bytes")
    void bytePrefix() {
        for (byte[] each : new byte[][] {{(byte) 0xc3}, {(byte) 0xc3, (byte) 0xa9}, {(byte) 0xc4}, {0x7f}, {0, 1}}) {
            hold(TestClaims.lock(key(each)));
        }

        assertThat(list(storage(), new byte[] {(byte) 0xc3}, 1)).hasSize(2);
        assertThat(list(storage(), new byte[] {0}, 1)).containsExactly(key((byte) 0, (byte) 1));
        assertThat(list(storage(), new byte[] {(byte) 0xff}, 1)).isEmpty();
    }

    @Test
    @DisplayName("has keys of any bytes as they are")
    void anyKeys() {
        List<Key> made = new ArrayList<>();
        for (int first = 0; first < 256; first += 5) {
            byte[] bytes = {'k', (byte) (first == ' ' ? 1 : first), '/'};
            if (Key.copyOf(bytes, 0, bytes.length) != null) {
                made.add(hold(TestClaims.lock(key(bytes))).key());
            }
        }
        byte[] longest = new byte[Key.MAX_BYTES];
        Arrays.fill(longest, (byte) 0xfe);
        made.add(hold(TestClaims.lock(key(longest))).key());

        assertThat(list("", 10)).containsExactlyInAnyOrderElementsOf(made);
    }

    @Test
    @DisplayName("has a key once that lives through all pages, while others come and go")
    void whileKeysComeAndGo() {
        open(Limits.AMPLE.withGcMaxIdle(Duration.ofSeconds(1)));
        Set<Key> staying = new HashSet<>();
        List<HeldGrant> going = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            staying.add(hold(TestClaims.lock(Key.of("stays-" + i))).key());
            going.add(hold(TestClaims.lock(Key.of("goes-" + i))));
        }
        List<Key> seen = new ArrayList<>();
        Key after = page(seen, null);
        going.forEach(this::release);
        passSeconds(2);
        awaitForgotten(going.stream().map(HeldGrant::key).toArray(Key[]::new));
        for (int i = 0; after != null; i++) {
            assertThat(i).as("pages").isLessThan(1000);
            if (i < 12) {
                hold(TestClaims.lock(Key.of("comes-" + i)));
            }
            after = page(seen, after);
        }

        assertThat(seen).doesNotHaveDuplicates().containsAll(staying);
    }

    private @Nullable Key page(List<Key> seen, @Nullable Key after) {
        KeyPage page = Await.result(storage().inspect(new KeyQuery(new byte[0], after, 4)));
        page.keys().forEach(each -> seen.add(each.key()));
        return page.next();
    }

    private List<Key> list(String prefix, int size) {
        return list(storage(), prefix.getBytes(StandardCharsets.UTF_8), size);
    }

    private static List<Key> list(LockStorage storage, byte[] prefix, int size) {
        return list(storage, prefix, KeyFilter.NONE, size);
    }
}
