package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTest {
    @Test
    void aPartStandsAnywhereInAKey() {
        Key key = Key.of("abcab");
        for (String part : List.of("", "a", "abcab", "bca", "ab", "b", "x", "ac", "abcabc", "ba")) {
            assertThat(key.contains(part.getBytes(StandardCharsets.UTF_8)))
                    .as(part)
                    .isEqualTo("abcab".contains(part));
        }
    }

    @Test
    void aKeyHasOneTo256Bytes() {
        assertThat(Key.of("x").length()).isEqualTo(1);
        assertThat(Key.of("x".repeat(256)).length()).isEqualTo(256);
        assertThat(Key.of("é".repeat(128)).length()).isEqualTo(256);
        isNoKey("");
        isNoKey("x".repeat(257));
        isNoKey("é".repeat(129));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", "\n", "\r", "a b", " a", "a\n", "\ra", "a\tb"})
    void isNoKey(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);

        assertThat(Key.copyOf(bytes, 0, bytes.length)).isNull();
        assertThatThrownBy(() -> Key.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyOtherByteIsAllowed() {
        Set<Key> keys = new HashSet<>();
        for (int i = 0; i < 256; i++) {
            Key key = Key.copyOf(new byte[] {(byte) i}, 0, 1);
            if (key != null) {
                assertThat(key.toBytes()[0]).isEqualTo((byte) i);
                keys.add(key);
            }
        }

        assertThat(keys).hasSize(252);
    }

    @Test
    void aKeyIsCutFromTheMiddleOfItsSource() {
        byte[] source = {' ', 'a', 'b', 'c', '\n'};

        assertThat(Key.copyOf(source, 1, 4)).isEqualTo(Key.of("abc"));
        assertThat(Key.copyOf(source, 2, 3)).isEqualTo(Key.of("b"));
        assertThat(Key.copyOf(source, 0, 3)).isNull();
        assertThat(Key.copyOf(source, 3, 5)).isNull();
    }

    @Test
    void aKeyDoesNotChangeWithItsSourceOrItsCopies() {
        byte[] source = {'a', 'b'};
        Key key = Objects.requireNonNull(Key.copyOf(source, 0, 2));
        source[0] = 'x';
        key.toBytes()[1] = 'x';

        assertThat(key).isEqualTo(Key.of("ab"));
    }

    @Test
    void keysAreEqualIfAllTheirBytesAre() {
        assertThat(Key.of("abc")).isEqualTo(Key.of("abc")).hasSameHashCodeAs(Key.of("abc"));
        for (String other : List.of("abd", "ab", "abcd", "ABC", "cba")) {
            assertThat(Key.of("abc")).isNotEqualTo(Key.of(other));
        }
        assertThat(Key.of("abc")).isNotEqualTo("abc").isNotEqualTo(null);
    }

    @Test
    void keysThatReadTheSameMayDiffer() {
        Key one = Objects.requireNonNull(Key.copyOf(new byte[] {(byte) 0xff}, 0, 1));
        Key other = Objects.requireNonNull(Key.copyOf(new byte[] {(byte) 0xfe}, 0, 1));

        assertThat(one.toString()).isEqualTo(other.toString()).isEqualTo("\ufffd");
        assertThat(one).isNotEqualTo(other);
    }

    @Test
    void aKeyStartsWithItsPrefixes() {
        Key key = Key.of("abc");

        assertThat(key.startsWith(new byte[0])).isTrue();
        assertThat(key.startsWith(new byte[] {'a', 'b'})).isTrue();
        assertThat(key.startsWith(new byte[] {'a', 'b', 'c'})).isTrue();
        assertThat(key.startsWith(new byte[] {'a', 'b', 'c', 'd'})).isFalse();
        assertThat(key.startsWith(new byte[] {'b'})).isFalse();
    }

    @Test
    void theOrderByHashIsTotalAndFollowsTheHash() {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            keys.add(Key.of("key-" + i));
        }
        keys.sort(Key::compareByHash);

        for (int i = 1; i < keys.size(); i++) {
            Key before = keys.get(i - 1);
            Key after = keys.get(i);
            assertThat(Key.compareByHash(before, after)).isNegative();
            assertThat(Key.compareByHash(after, before)).isPositive();
            assertThat(Integer.compareUnsigned(before.hashCode(), after.hashCode()))
                    .isNotPositive();
        }
        assertThat(Key.compareByHash(keys.getFirst(), Key.of(keys.getFirst().toString())))
                .isZero();
    }

    @Test
    void theUppermostBitsOfTheHashAreSpreadEvenly() {
        int[] counts = new int[32];
        for (int i = 0; i < 32_000; i++) {
            counts[Key.of("user:" + i).hashCode() >>> 27]++;
        }

        assertThat(Arrays.stream(counts)).allSatisfy(count -> assertThat(count).isBetween(700, 1300));
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        return bytes;
    }

    /**
     * The top bits are the weak ones of a product. Changing them at two of 30 block borders makes a
     * different key for each pair.
     */
    @Test
    void keysThatDifferInTopBitsOnlyDoNotShareAHash() {
        Set<Integer> hashes = new HashSet<>();
        int keys = 0;
        for (int first = 0; first < 30; first++) {
            for (int second = first; second < 30; second++) {
                byte[] bytes = filled(256);
                for (int block : new int[] {first, second}) {
                    for (int at : new int[] {8 * block + 7, 8 * block + 11, 8 * block + 15}) {
                        bytes[at] ^= (byte) 0x80;
                    }
                }
                if (first != second) {
                    keys++;
                    hashes.add(Objects.requireNonNull(Key.copyOf(bytes, 0, 256)).hashCode());
                }
            }
        }
        assertThat(keys).isEqualTo(435);
        assertThat(hashes).hasSizeGreaterThan(430);
    }
}
