package io.flockgate.storage.consul.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacesTest {
    private static final Key SHARED = Key.of("shared");

    private final Places places = new Places("base/", Map.of(SHARED, "service/db/leader"));

    @Test
    void aKeyLivesBelowTheBaseByItsName() {
        Place place = places.of(Key.of("a/b"));
        assertThat(place.mapped()).isFalse();
        assertThat(place.lock()).isEqualTo("base/a~2fb/.lock");
        assertThat(place.sequence()).isEqualTo("base/a~2fb/.seq");
        assertThat(place.ticket("gw-1")).isEqualTo("base/a~2fb/.wait/gw-1");
        assertThat(place.contender("5e55")).isEqualTo("base/a~2fb/5e55");
    }

    @Test
    void aMappedKeyLivesAtItsPrefix() {
        Place place = places.of(SHARED);
        assertThat(place.mapped()).isTrue();
        assertThat(place.lock()).isEqualTo("service/db/leader/.lock");
        assertThat(places.mapped()).containsExactly(SHARED);
    }

    @Test
    void whatLiesBelowTheBaseInThePlaceOfAMappedKeyIsNobodys() {
        assertThat(places.keyOf("base/shared/.lock")).isNull();
    }

    @Test
    void namesOfOthersBelowTheBaseAreNoKeys() {
        assertThat(places.keyOf("base/a/.lock")).isEqualTo(Key.of("a"));
        assertThat(places.keyOf("base/a")).isNull();
        assertThat(places.keyOf("base/.fleetlock/default")).isNull();
        assertThat(places.keyOf("base//x")).isNull();
        assertThat(places.keyOf("other/a/.lock")).isNull();
    }

    @Test
    void aGatewaysNameIsEscapedInTheNamesOfItsTickets() {
        assertThat(Places.process("node/1:6388", "0f")).isEqualTo("node~2f1~3a6388-0f");
    }
}
