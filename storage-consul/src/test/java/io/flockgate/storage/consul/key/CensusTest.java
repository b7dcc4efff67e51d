package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.layout.Flags;
import io.flockgate.storage.consul.layout.Place;
import io.flockgate.storage.consul.layout.Places;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CensusTest {
    private static final Key A = Key.of("a");
    private static final Key B = Key.of("b");
    private static final Key SHARED = Key.of("shared");

    private final FakeClock clock = new FakeClock();
    private final FakeConsul consul = new FakeConsul();
    private final Places places = new Places("base/", Map.of(SHARED, "service/shared"));

    private Census census(long maxKeys) {
        return new Census(consul, places, maxKeys, clock::nanos);
    }

    private void make(Key key) {
        consul.put(places.of(key).lock(), Flags.MUTEX, new byte[0]);
    }

    private Map<Key, ?> look(Census census) {
        return census.update(consul.list("base/", Consistency.DEFAULT));
    }

    @Test
    void aKeyThatDoesNotFitIsRefusedAndOneThatIsThereAlreadyIsNot() {
        Census census = census(2);
        assertThat(census.reserve(places.of(A))).isTrue();
        make(A);
        make(B);

        assertThat(census.reserve(places.of(Key.of("c")))).isFalse();
        assertThat(census.reserve(places.of(B))).isTrue();
    }

    @Test
    void keysOfOtherGatewaysCountAsSoonAsTheyAreThere() {
        Census census = census(1);
        make(B);

        assertThat(census.reserve(places.of(A))).isFalse();
    }

    @Test
    void whatIsBeingMadeCountsBeforeItIsSeen() {
        Census census = census(1);
        assertThat(census.reserve(places.of(A))).isTrue();

        assertThat(census.reserve(places.of(B))).isFalse();

        census.notMade(places.of(A));
        assertThat(census.reserve(places.of(B))).isTrue();
    }

    @Test
    void aForgottenKeyMakesRoomAtOnceAlthoughALookThatWasOnItsWayShowsItStill() {
        Census census = census(1);
        make(A);
        Map<Key, ?> unused = look(census);
        Place place = places.of(A);
        census.gone(place);
        Map<Key, ?> late = look(census);
        consul.delete(place.lock());

        assertThat(late).isEmpty();
        assertThat(census.reserve(places.of(B))).isTrue();
    }

    @Test
    void mappedKeysAreNotCounted() {
        Census census = census(1);
        make(A);

        assertThat(census.reserve(places.of(SHARED))).isTrue();
    }

    @Test
    void namesThatAreNoKeysAreNotCounted() {
        Census census = census(1);
        consul.put("base/.fleetlock/workers", 0, new byte[0]);
        consul.put("base/~zz/.lock", 0, new byte[0]);

        assertThat(census.reserve(places.of(A))).isTrue();
    }

    @Test
    void aLookSaysWhichKeysHaveChangedAndWhichAreGone() {
        Census census = census(100);
        make(A);
        make(B);
        assertThat(look(census).keySet()).isEqualTo(Set.of(A, B));
        assertThat(look(census).keySet()).isEmpty();

        consul.put(places.of(A).lock(), Flags.MUTEX, new byte[] {1});
        consul.delete(places.of(B).lock());

        assertThat(look(census).keySet()).isEqualTo(Set.of(A, B));
        assertThat(census.hasNot(B)).isTrue();
        assertThat(census.hasNot(A)).isFalse();
    }

    @Test
    void aKeyIsUnchangedSinceItWasFirstSeenAsItStands() {
        Census census = census(100);
        make(A);
        Map<Key, ?> first = look(census);
        clock.advance(Duration.ofSeconds(9));
        make(B);
        Map<Key, ?> second = look(census);
        clock.advance(Duration.ofSeconds(2));

        assertThat(first).hasSize(1);
        assertThat(second).hasSize(1);
        assertThat(census.unchangedFor(Duration.ofSeconds(10).toNanos())).containsExactly(A);
        assertThat(clock.nanos() - census.since(A))
                .isEqualTo(Duration.ofSeconds(11).toNanos());
    }
}
