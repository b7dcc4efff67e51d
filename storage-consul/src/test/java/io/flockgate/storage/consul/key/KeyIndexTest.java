package io.flockgate.storage.consul.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.key.KeyIndex.Unused;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a gateway knows of all keys, and how many there may be. */
class KeyIndexTest {
    private static final Key A = Key.of("a");
    private static final Key B = Key.of("b");
    private static final Key SHARED = Key.of("shared");

    private final FakeClock clock = new FakeClock();
    private final FakeCluster cluster = new FakeCluster();
    private final KeyPaths paths = new KeyPaths("base/", Map.of(SHARED, "service/shared"));

    private final Environment environment = new SystemEnvironment(clock::nanos);
    private final KeyCount count = new KeyCount(100);
    private final KeyIndex keyIndex = index(count);

    private void make(Key key) {
        cluster.put(paths.of(key).lock(), Flags.MUTEX, new byte[0]);
    }

    private Map<Key, ?> entries() {
        return read(keyIndex);
    }

    private Map<Key, ?> read(KeyIndex index) {
        return index.update(cluster.list("base/"));
    }

    private KeyIndex index(KeyCount count) {
        return new KeyIndex(paths, environment, count);
    }

    /** As renewals change it: with the same fence and another ModifyIndex. */
    @Test
    void aGrantIsHeldSinceItWasFirstSeenWhateverChanges() {
        String session = cluster.createSession("other", Duration.ofMinutes(1));
        long fence = hold(session, "");
        Map<Key, ?> unused = entries();
        long seen = clock.nanos();
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofSeconds(10));
            long index = hold(session, "\"fence\":" + fence + ",\"seq\":" + i + ",");
            assertThat(index).isGreaterThan(fence);
            unused = entries();
        }

        assertThat(keyIndex.since(A)).isEqualTo(clock.nanos());
        assertThat(keyIndex.heldSince(A, fence)).isEqualTo(seen);
        assertThat(keyIndex.heldSince(A, fence + 100)).as("not seen yet").isEqualTo(clock.nanos());
        assertThat(keyIndex.heldSince(B, fence)).isEqualTo(clock.nanos());
    }

    /** The index of the write of a mark. */
    private long hold(String session, String renewal) {
        byte[] mark = ("{\"v\":1,\"gw\":\"g\",\"nonce\":\"n\"," + renewal + "\"lease_ms\":5000,\"tok\":\"t\"}")
                .getBytes(UTF_8);
        TxnOutcome done = cluster.txn(List.of(new KvOp.Lock(paths.of(A).lock(), Flags.MUTEX, mark, session)));
        return ((TxnOutcome.Committed) done).results().getFirst().modifyIndex();
    }

    @Test
    void aLookSaysWhichKeysHaveChangedAndWhichAreGone() {
        make(A);
        make(B);
        assertThat(entries().keySet()).isEqualTo(Set.of(A, B));
        assertThat(entries().keySet()).isEmpty();

        cluster.put(paths.of(A).lock(), Flags.MUTEX, new byte[] {1});
        cluster.delete(paths.of(B).lock());

        assertThat(entries().keySet()).isEqualTo(Set.of(A, B));
        assertThat(keyIndex.isAbsent(B)).isTrue();
        assertThat(keyIndex.isAbsent(A)).isFalse();
    }

    @Test
    void aKeyIsUnchangedSinceItWasFirstSeenAsItStands() {
        make(A);
        Map<Key, ?> first = entries();
        clock.advance(Duration.ofSeconds(9));
        make(B);
        Map<Key, ?> second = entries();
        clock.advance(Duration.ofSeconds(2));

        assertThat(first).hasSize(1);
        assertThat(second).hasSize(1);
        assertThat(keyIndex.unused()).extracting(Unused::key).containsExactlyInAnyOrder(A, B);
        assertThat(clock.nanos() - keyIndex.since(A))
                .isEqualTo(Duration.ofSeconds(11).toNanos());
    }

    /** The sequence of its tickets stays until the key is deleted. */
    @Test
    void aKeyThatHasHadWaitersIsIdleOnceItIsFree() {
        make(A);
        cluster.put(paths.of(A).sequence(), Flags.NONE, "gw-1-000000000001".getBytes(UTF_8));
        String session = cluster.createSession("other", Duration.ofMinutes(1));
        String ticket = paths.of(A).ticket("gw-1-000000000001");
        assertThat(cluster.txn(List.of(new KvOp.Lock(ticket, Flags.NONE, new byte[0], session))))
                .isInstanceOf(TxnOutcome.Committed.class);
        assertThat(entries()).hasSize(1);
        assertThat(count.usage().idle()).as("with a waiter").isZero();

        cluster.delete(ticket);

        assertThat(entries()).hasSize(1);
        assertThat(count.usage().idle()).isEqualTo(1);
    }

    @Test
    void aKeyThatASessionHoldsIsUsed() {
        String session = cluster.createSession("other", Duration.ofDays(1));
        assertThat(cluster.txn(List.of(new KvOp.Lock(paths.of(A).lock(), Flags.MUTEX, new byte[0], session))))
                .isInstanceOf(TxnOutcome.Committed.class);
        make(B);
        assertThat(entries()).hasSize(2);
        assertThat(keyIndex.unused()).extracting(Unused::key).containsExactly(B);
    }

    @Test
    void aKeyThatDoesNotFitIsRefusedAndOneThatIsThereAlreadyIsNot() {
        make(B);
        KeyCount full = new KeyCount(1);
        Map<Key, ?> unused = read(index(full));
        assertThat(full.reserve(paths.of(A))).isFalse();
        assertThat(full.reserve(paths.of(B))).isTrue();
        assertThat(full.reserve(paths.of(SHARED))).as("mapped").isTrue();
    }

    @Test
    void whatIsBeingMadeCountsBeforeItIsSeen() {
        KeyCount count = new KeyCount(1);
        assertThat(count.reserve(paths.of(A))).isTrue();

        assertThat(count.reserve(paths.of(B))).isFalse();

        count.notMade(paths.of(A));
        assertThat(count.reserve(paths.of(B))).isTrue();
        make(A);
        Map<Key, ?> unused = read(index(count));
        count.notMade(paths.of(A));
        count.notMade(paths.of(B));
        assertThat(count.reserve(paths.of(B)))
                .as("another gateway has made one")
                .isFalse();
    }

    @Test
    void whatWasNotCreatedAfterAllCountsNoLonger() {
        KeyCount count = new KeyCount(1);
        KeyIndex index = index(count);
        assertThat(count.reserve(paths.of(A))).isTrue();
        for (int reads = 0; reads < 2; reads++) {
            assertThat(count.reserve(paths.of(B))).isFalse();
            count.asking();
            Map<Key, ?> unused = read(index);
        }
        assertThat(count.reserve(paths.of(B))).isTrue();
    }

    @Test
    void keysOfWhichOnlyOrphansAreLeftAreNotCounted() {
        KeyCount count = new KeyCount(1);
        KeyIndex index = index(count);
        cluster.put(paths.of(B).ticket("gone-1"), Flags.NONE, new byte[0]);
        cluster.put(paths.of(B).contender("5e55"), Flags.SEMAPHORE, new byte[0]);
        cluster.put(paths.of(B).sequence(), Flags.NONE, new byte[0]);
        Map<Key, ?> unused = read(index);
        assertThat(count.usage().keys()).isZero();
        assertThat(index.unused())
                .singleElement()
                .satisfies(left -> assertThat(left.entries()).hasSize(3));
        assertThat(count.reserve(paths.of(A))).isTrue();

        make(B);
        Map<Key, ?> unusedToo = read(index);
        assertThat(count.usage().keys()).isEqualTo(2);
    }
}
