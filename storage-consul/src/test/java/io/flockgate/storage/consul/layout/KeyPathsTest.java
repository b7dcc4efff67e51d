package io.flockgate.storage.consul.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyPathsTest {
    private static final Key SHARED = Key.of("shared");

    private final KeyPaths paths = new KeyPaths("base/", Map.of(SHARED, "service/db/leader"), NameForm.COMMA);

    @Test
    void aKeyLivesBelowTheBaseByItsName() {
        KeyPath path = paths.of(Key.of("a/b"));
        assertThat(path.mapped()).isFalse();
        assertThat(path.lock()).isEqualTo("base/a,2fb/.lock");
        assertThat(path.sequence()).isEqualTo("base/a,2fb/.seq");
        assertThat(path.ticket("gw-1")).isEqualTo("base/a,2fb/.wait/gw-1");
        assertThat(path.contender("5e55")).isEqualTo("base/a,2fb/5e55");
    }

    @Test
    void aMappedKeyLivesAtItsPrefix() {
        KeyPath path = paths.of(SHARED);
        assertThat(path.mapped()).isTrue();
        assertThat(path.lock()).isEqualTo("service/db/leader/.lock");
        assertThat(paths.mapped()).containsExactly(SHARED);
    }

    @Test
    void whatLiesBelowTheBaseInThePlaceOfAMappedKeyIsNobodys() {
        assertThat(paths.keyOf("base/shared/.lock")).isNull();
    }

    @Test
    void namesOfOthersBelowTheBaseAreNoKeys() {
        assertThat(paths.keyOf("base/a/.lock")).isEqualTo(Key.of("a"));
        assertThat(paths.keyOf("base/a")).isNull();
        assertThat(paths.keyOf("base/.fleetlock/default")).isNull();
        assertThat(paths.keyOf("base//x")).isNull();
        assertThat(paths.keyOf("other/a/.lock")).isNull();
    }

    @Test
    void aGatewaysNameIsEscapedInTheNamesOfItsTickets() {
        assertThat(KeyPaths.process("node/1:6388", "0f")).isEqualTo("node,2f1,3a6388-0f");
    }

    @Test
    void namesOfTheOlderFormAreKeysOfThatFormOnly() {
        KeyPaths older = new KeyPaths("base/", Map.of(), NameForm.TILDE);
        assertThat(older.of(Key.of("a/b")).lock()).isEqualTo("base/a~2fb/.lock");
        assertThat(older.keyOf("base/a~2fb/.lock")).isEqualTo(Key.of("a/b"));
        assertThat(older.keyOf("base/a,2fb/.lock")).isNull();
        assertThat(paths.keyOf("base/a~2fb/.lock")).isNull();
    }

    @Test
    void beforeTheFormIsDecidedOnlyPlainAndMappedKeysAreKnown() {
        KeyPaths undecided = new KeyPaths("base/", Map.of(SHARED, "service/db/leader"));
        assertThat(undecided.knows(Key.of("a/b"))).isFalse();
        assertThat(undecided.knows(Key.of("a.b"))).isTrue();
        assertThat(undecided.knows(SHARED)).isTrue();
        assertThat(undecided.keyOf("base/a,2fb/.lock")).isNull();
        assertThat(undecided.keyOf("base/a/.lock")).isEqualTo(Key.of("a"));
        assertThat(undecided.decide(NameForm.TILDE)).isTrue();
        assertThat(undecided.decide(NameForm.COMMA)).isFalse();
        assertThat(undecided.of(Key.of("a/b")).prefix()).isEqualTo("base/a~2fb");
    }

    @Test
    void onlyNamesWithAnEscapeHaveAPathInAnotherForm() {
        assertThat(KeyPaths.pathIn(NameForm.TILDE, "base/", "base/a~2fb/.wait/x"))
                .isEqualTo(new KeyPath("base/a~2fb", false));
        assertThat(KeyPaths.pathIn(NameForm.TILDE, "base/", "base/a/.lock")).isNull();
        assertThat(KeyPaths.pathIn(NameForm.TILDE, "base/", "base/a,2fb/.lock")).isNull();
        assertThat(KeyPaths.pathIn(NameForm.TILDE, "base/", "base/.flockgate")).isNull();
        assertThat(KeyPaths.pathIn(NameForm.TILDE, "base/", "base/.fleetlock/a~2e"))
                .isNull();
    }
}
