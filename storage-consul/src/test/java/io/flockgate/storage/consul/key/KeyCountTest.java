package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyCountTest {
    private static final Key A = Key.of("a");
    private static final Key B = Key.of("b");
    private static final Key SHARED = Key.of("shared");

    private final FakeClock clock = new FakeClock();
    private final FakeConsul consul = new FakeConsul();
    private final KeyPaths paths = new KeyPaths("base/", Map.of(SHARED, "service/shared"));
    private final Environment environment = new SystemEnvironment(clock::nanos);

    private KeyCount count(long maxKeys) {
        return new KeyCount(consul, paths, maxKeys, environment);
    }

    private KeyIndex index(KeyCount count) {
        return new KeyIndex(paths, environment, count);
    }

    private void make(Key key) {
        consul.put(paths.of(key).lock(), Flags.MUTEX, new byte[0]);
    }

    private Map<Key, ?> read(KeyIndex index) {
        return index.update(consul.list("base/", Consistency.DEFAULT));
    }

    @Test
    void aKeyThatDoesNotFitIsRefusedAndOneThatIsThereAlreadyIsNot() {
        KeyCount count = count(2);
        assertThat(count.reserve(paths.of(A))).isTrue();
        make(A);
        make(B);

        assertThat(count.reserve(paths.of(Key.of("c")))).isFalse();
        assertThat(count.reserve(paths.of(B))).isTrue();
    }

    @Test
    void keysOfOtherGatewaysCountAsSoonAsTheyAreThere() {
        KeyCount count = count(1);
        make(B);

        assertThat(count.reserve(paths.of(A))).isFalse();
    }

    @Test
    void whatIsBeingMadeCountsBeforeItIsSeen() {
        KeyCount count = count(1);
        assertThat(count.reserve(paths.of(A))).isTrue();

        assertThat(count.reserve(paths.of(B))).isFalse();

        count.notMade(paths.of(A));
        assertThat(count.reserve(paths.of(B))).isTrue();
    }

    @Test
    void aForgottenKeyMakesRoomAlthoughAnOldReadStillShowsIt() {
        KeyCount count = count(1);
        KeyIndex index = index(count);
        make(A);
        Map<Key, ?> unused = read(index);
        KeyPath path = paths.of(A);
        count.gone(path);
        Map<Key, ?> late = read(index);
        consul.delete(path.lock());

        assertThat(late).isEmpty();
        assertThat(count.reserve(paths.of(B))).isTrue();
    }

    @Test
    void keysOfWhichOnlyOrphansAreLeftAreNotCounted() {
        KeyCount count = count(1);
        KeyIndex index = index(count);
        consul.put(paths.of(B).ticket("gone-1"), Flags.NONE, new byte[0]);
        consul.put(paths.of(B).contender("5e55"), Flags.SEMAPHORE, new byte[0]);
        consul.put(paths.of(B).sequence(), Flags.NONE, new byte[0]);
        Map<Key, ?> unused = read(index);
        assertThat(count.usage().keys()).isZero();
        assertThat(index.orphans()).hasSize(3);
        assertThat(count.reserve(paths.of(A))).isTrue();

        make(B);
        Map<Key, ?> unusedToo = read(index);
        assertThat(index.orphans())
                .extracting(KvEntry::key)
                .doesNotContain(paths.of(B).sequence());
        assertThat(count.usage().keys()).isEqualTo(2);
    }

    @Test
    void mappedKeysAreNotCounted() {
        KeyCount count = count(1);
        make(A);

        assertThat(count.reserve(paths.of(SHARED))).isTrue();
    }

    @Test
    void namesThatAreNoKeysAreNotCounted() {
        KeyCount count = count(1);
        consul.put("base/.fleetlock/workers", 0, new byte[0]);
        consul.put("base/,zz/.lock", 0, new byte[0]);

        assertThat(count.reserve(paths.of(A))).isTrue();
    }
}
