package io.flockgate.storage.consul.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyPathsTest {
    private static final Key SHARED = Key.of("shared");

    private final KeyPaths paths = new KeyPaths("base/", Map.of(SHARED, "service/db/leader"));

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
        assertThat(Names.process("node/1:6388", "0f")).isEqualTo("node,2f1,3a6388-0f");
    }

    @Test
    void aRosterHasTheNameOfItsGroup() {
        assertThat(Names.roster("base/", "..")).isEqualTo("base/.fleetlock/,2e,2e");
    }
}
