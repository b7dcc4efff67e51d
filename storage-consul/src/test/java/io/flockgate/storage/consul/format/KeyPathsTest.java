package io.flockgate.storage.consul.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyPathsTest {
    private static final Key SHARED = Key.of("shared");

    private final KeyPaths paths = new KeyPaths("base/", Map.of(SHARED, "service/db/leader"));

    @Test
    void aMappedKeyLivesAtItsPrefix() {
        KeyPath path = paths.of(SHARED);
        assertThat(path.mapped()).isTrue();
        assertThat(path.lock()).isEqualTo("service/db/leader/.lock");
        assertThat(paths.mapped()).containsExactly(SHARED);
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
}
