package io.flockgate.storage.consul.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.flockgate.storage.Key;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Names that keys have in Consul. */
class KeyEscapePropertyTest {
    private static final String BASE = "base/";

    /**
     * Any bytes that make a key, and often those that mean something in a path, in a URL, or in the
     * escape itself.
     */
    @Provide
    Arbitrary<Key> keys() {
        Arbitrary<Byte> any = Arbitraries.bytes();
        Arbitrary<Byte> telling = Arbitraries.of(bytes("~,./%?#*'\\&=+;:@!$aA09_-\u007f\0"));
        return Arbitraries.oneOf(any, telling)
                .filter(b -> b != ' ' && b != '\t' && b != '\n' && b != '\r')
                .array(byte[].class)
                .ofMinSize(1)
                .ofMaxSize(Key.MAX_BYTES)
                .map(KeyEscapePropertyTest::key);
    }

    /** Names that other software may have written below the base. */
    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("~,.ab02fF_-%/é ").ofMaxLength(12);
    }

    private static Byte[] bytes(String text) {
        return text.chars().mapToObj(c -> (byte) c).toArray(Byte[]::new);
    }

    private static Key key(byte[] bytes) {
        return Objects.requireNonNull(Key.copyOf(bytes, 0, bytes.length));
    }

    private static String escape(Key key) {
        return Names.escape(key.toBytes());
    }

    private static @Nullable Key unescape(String name) {
        byte[] bytes = Names.unescape(name);
        return bytes == null ? null : Key.copyOf(bytes, 0, bytes.length);
    }

    @Property
    void everyKeyComesBackFromItsName(@ForAll("keys") Key key) {
        assertThat(unescape(escape(key))).isEqualTo(key);
    }

    @Property
    void namesConsistOfCharactersThatEveryConsulTakes(@ForAll("keys") Key key) {
        assertThat(escape(key))
                .matches("[A-Za-z0-9_,-]([A-Za-z0-9_.,-]*[A-Za-z0-9_,-])?")
                .doesNotContain("..");
    }

    /** Consul 1.21.5 refuses others, and so must no entry have another. */
    @Property
    void everyEntryHasSuchAName(@ForAll("keys") Key key, @ForAll("keys") Key node) {
        KeyPath path = new KeyPaths(BASE, Map.of()).of(key);
        String process = Names.process(node.toString(), "01234567");
        assertThat(List.of(
                        path.lock(),
                        path.sequence(),
                        path.ticket(Names.ticket(process, 1)),
                        path.contender("05b33008-1db7-8c50-36e5-b061e56d4616"),
                        Names.gateway(BASE, process),
                        Names.record(BASE),
                        Names.roster(BASE, key.toString())))
                .allSatisfy(
                        name -> assertThat(name).matches("[a-zA-Z0-9,_./?&=-]+").doesNotContain(".."));
    }

    @Property
    void noKeyLiesBelowAnother(@ForAll("keys") Key one, @ForAll("keys") Key other) {
        KeyPaths paths = new KeyPaths(BASE, Map.of());
        assumeThat(one).isNotEqualTo(other);
        assertThat(paths.of(one).root()).doesNotStartWith(paths.of(other).root());
        assertThat(paths.keyOf(paths.of(one).ticket("gw-1"))).isEqualTo(one);
    }

    @Property
    void aNameIsReadAsAKeyOnlyIfThatKeyIsWrittenSo(@ForAll("names") String name) {
        Key key = unescape(name);
        if (key != null) {
            assertThat(escape(key)).isEqualTo(name);
        }
    }

    /** Plain bytes keep their names, and so do dots where they mean nothing. */
    @Example
    void keysHaveTheseNames() {
        Map<String, String> names = Map.of(
                "deploy_prod-2.eu", "deploy_prod-2.eu",
                "a/b?c%20~d", "a,2fb,3fc,2520,7ed",
                "é", ",c3,a9",
                ".", ",2e",
                "..", ",2e,2e",
                ".lock", ",2elock",
                "a..b", "a,2e,2eb",
                "a.", "a,2e");
        names.forEach((key, name) -> assertThat(escape(Key.of(key))).isEqualTo(name));
        KeyPath path = new KeyPaths(BASE, Map.of()).of(Key.of("a/b"));
        assertThat(List.of(path.lock(), path.sequence(), path.ticket("gw-1"), path.contender("5e55")))
                .containsExactly("base/a,2fb/.lock", "base/a,2fb/.seq", "base/a,2fb/.wait/gw-1", "base/a,2fb/5e55");
        assertThat(Names.process("node/1:6388", "0f")).isEqualTo("node,2f1,3a6388-0f");
        assertThat(Names.roster(BASE, "..")).isEqualTo("base/.fleetlock/,2e,2e");
    }

    @Example
    void namesThatNoKeyHasAreNoKeys() {
        for (String name :
                new String[] {"", ",", ",2", ",2F", ",zz", ",61", "a.", ".a", "a..b", "a b", "é", ",20", "a%", "a~2fb"
                }) {
            assertThat(unescape(name)).as(name).isNull();
        }
    }

    /** A key with any name, even that of a roster, has no entry among the rosters. */
    @Property
    void noKeyLivesWhereRostersDo(@ForAll("keys") Key key, @ForAll("keys") Key group) {
        KeyPaths paths = new KeyPaths(BASE, Map.of());
        String roster = Names.rosters(BASE) + escape(group);

        assertThat(paths.of(key).root()).doesNotStartWith(Names.rosters(BASE));
        assertThat(paths.keyOf(roster)).isNull();
        assertThat(paths.keyOf(roster + "/.lock")).isNull();
        assertThat(roster).doesNotStartWith(paths.of(key).root());
    }

    @Example
    void aMappedKeyLivesAtItsPrefix() {
        Key shared = Key.of("shared");
        KeyPaths paths = new KeyPaths(BASE, Map.of(shared, "service/db/leader"));
        assertThat(paths.of(shared).mapped()).isTrue();
        assertThat(paths.of(shared).lock()).isEqualTo("service/db/leader/.lock");
        assertThat(paths.mapped()).containsExactly(shared);
        assertThat(paths.keyOf("base/shared/.lock")).isNull();
    }

    @Example
    void namesOfOthersBelowTheBaseAreNoKeys() {
        KeyPaths paths = new KeyPaths(BASE, Map.of());
        assertThat(paths.keyOf("base/a/.lock")).isEqualTo(Key.of("a"));
        for (String name : List.of("base/a", "base/.fleetlock/default", "base//x", "other/a/.lock")) {
            assertThat(paths.keyOf(name)).as(name).isNull();
        }
    }
}
