package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of reads, watches and sessions. Consul must allow a TTL of one second. */
abstract class ConsulContract extends TxnContract {
    @ParameterizedTest
    @EnumSource(Consistency.class)
    void anAbsentPrefixHasNoEntriesButAnIndex(Consistency consistency) {
        create("elsewhere-" + base + "k", "x");
        KvList none = api.list(base, consistency);

        assertThat(none.entries()).isEmpty();
        assertThat(none.index()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Consistency.class)
    void entriesComeInTheOrderOfTheBytesOfTheirKeys(Consistency consistency) {
        // The last two have the opposite order when compared as Java characters.
        List<String> names = List.of(".lock", "A", "a", "a/b", "b", "é", "\uffee", "\ud83d\ude00");
        names.reversed().forEach(name -> create(base + name, name));

        KvList list = api.list(base, consistency);

        assertThat(list.entries()).extracting(ConsulApiContract::text).containsExactlyElementsOf(names);
        assertThat(list.index())
                .isEqualTo(list.entries().stream()
                        .mapToLong(KvEntry::modifyIndex)
                        .max()
                        .orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a?b", "a#b", "a%b", "a%2Fb", "a+b", "a&b=c", "a~xx", "*'\"\\", "ü/ö", "a.b"})
    void keysOfAnyFormAreReadBack(String name) {
        create(base + name + "/k", "x");
        create(base + "other", "x");

        assertThat(keys(base + name)).containsExactly(base + name + "/k");
        assertThat(api.watch(base + name, 1, SHORT).entries()).hasSize(1);
    }

    @Test
    void aPrefixIsNotAFolder() {
        create(base + "p/k", "x");
        create(base + "p2/k", "x");

        assertThat(keys(base + "p")).containsExactly(base + "p/k", base + "p2/k");
        assertThat(keys(base + "p/")).containsExactly(base + "p/k");
    }

    @Test
    void aWatchWithAnOldIndexAnswersAtOnce() {
        KvEntry made = create(base + "k", "x");
        KvList list = api.watch(base, made.modifyIndex() - 1, LONG);

        assertThat(list.entries()).hasSize(1);
        assertThat(list.index()).isEqualTo(made.modifyIndex());
    }

    @Test
    void aWatchAnswersWhenAKeyIsWrittenOrItsSessionEndsOrItIsDeletedAndTheIndexRises() {
        String session = session();
        long index = create(base + "k", "x").modifyIndex();
        KvList held = seenAfter(index, () -> done(new KvOp.Lock(base + "new", 0, bytes("x"), session)));
        assertThat(held.entries()).extracting(KvEntry::session).containsExactly(null, session);
        KvList free = seenAfter(held.index(), () -> api.destroySession(session));
        assertThat(free.entries()).extracting(KvEntry::session).containsExactly(null, null);
        KvList gone = seenAfter(free.index(), () -> done(new KvOp.DeleteCas(base + "k", index)));
        assertThat(gone.entries()).extracting(KvEntry::key).containsExactly(base + "new");
    }

    private KvList seenAfter(long index, Runnable change) {
        CompletableFuture<KvList> watch = watch(index, LONG);
        change.run();
        KvList seen = watch.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(seen.index()).isGreaterThan(index);
        return seen;
    }

    @Test
    void aWatchSleepsThroughWhatChangesNothingInItsPrefix() {
        KvEntry made = create(base + "p/k", "x");
        CompletableFuture<KvList> watch = watch(base + "p/", made.modifyIndex(), SHORT);
        create(base + "p2/k", "x");
        conflict(new KvOp.Cas(base + "p/k", 0, bytes("y"), 0));
        done(new KvOp.Cas(base + "p/k", 0, bytes("x"), made.modifyIndex()));

        KvList seen = watch.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(seen.index()).isEqualTo(made.modifyIndex());
        assertThat(seen.entries()).hasSize(1);
    }

    @Test
    void aWatchWithAnIndexOfTheFutureSleepsThroughChanges() {
        KvEntry made = create(base + "k", "x");
        long begun = System.nanoTime();
        CompletableFuture<KvList> watch = watch(made.modifyIndex() + 1_000_000_000, SHORT);
        create(base + "new", "y");

        KvList seen = watch.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(seen.index()).isLessThan(made.modifyIndex() + 1_000_000_000);
        assertThat(seen.entries()).hasSize(2);
    }

    @Test
    void anInterruptEndsAWatchAndStaysSet() throws InterruptedException {
        long index = create(base + "k", "x").modifyIndex();
        var ended = new CompletableFuture<Boolean>();
        Thread watcher = Thread.ofVirtual().start(() -> {
            try {
                KvList ignored = api.watch(base, index, Duration.ofSeconds(60));
                ended.complete(false);
            } catch (ConsulException e) {
                ended.complete(Thread.currentThread().isInterrupted());
            }
        });
        awaitWaiting(watcher);
        watcher.interrupt();

        assertThat(ended.orTimeout(10, TimeUnit.SECONDS).join()).isTrue();
        watcher.join();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void closingEndsAWatch() {
        long index = create(base + "k", "x").modifyIndex();
        CompletableFuture<KvList> watch = watch(index, Duration.ofSeconds(60));
        api.close();

        assertThatThrownBy(() -> watch.orTimeout(10, TimeUnit.SECONDS).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        ConsulException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CLOSED));
    }

    @Test
    void aClosedClientDoesNothing() {
        api.close();
        api.close();

        assertThatThrownBy(() -> read(base)).isInstanceOfSatisfying(ConsulException.class, e -> {
            assertThat(e.kind()).isEqualTo(FailureKind.CLOSED);
            assertThat(e.effect()).isEqualTo(Effect.NOT_DONE);
        });
        assertThat(api.txn(List.of(set(base + "k", "x"))))
                .isInstanceOfSatisfying(
                        TxnOutcome.NotDone.class,
                        outcome -> assertThat(outcome.cause().kind()).isEqualTo(FailureKind.CLOSED));
    }

    private CompletableFuture<KvList> watch(long index, Duration wait) {
        return watch(base, index, wait);
    }

    private CompletableFuture<KvList> watch(String prefix, long index, Duration wait) {
        var begun = new CompletableFuture<Thread>();
        var answer = new CompletableFuture<KvList>();
        Thread.ofVirtual().start(() -> {
            begun.complete(Thread.currentThread());
            try {
                answer.complete(api.watch(prefix, index, wait));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        awaitWaiting(begun.join());
        return answer;
    }

    @Test
    void aSessionLivesUntilItIsDestroyed() {
        String id = session();

        assertThat(api.renewSession(id)).isTrue();
        api.destroySession(id);
        assertThat(api.renewSession(id)).isFalse();
        api.destroySession(id);
    }

    @Test
    void theEndOfASessionReleasesItsKeysAtOneIndexAndNoOthers() {
        String ending = session();
        String other = session();
        done(
                new KvOp.Lock(base + "a", 0, bytes("x"), ending),
                new KvOp.Lock(base + "b", 0, bytes("x"), ending),
                new KvOp.Lock(base + "c", 0, bytes("x"), other),
                set(base + "d", "x"));
        api.destroySession(ending);

        assertThat(keys(base)).containsExactly(base + "a", base + "b", base + "c", base + "d");
        assertThat(only(base + "a").session()).isNull();
        assertThat(only(base + "a").value()).isEqualTo(bytes("x"));
        assertThat(only(base + "b").modifyIndex()).isEqualTo(only(base + "a").modifyIndex());
        assertThat(only(base + "c").session()).isEqualTo(other);
    }

    @Test
    void aSessionHasANodeUntilItHasEnded() {
        String id = session();
        assertThat(api.nodeIndex(Objects.requireNonNull(api.sessionNode(id))))
                .isPositive()
                .isLessThanOrEqualTo(raftIndex());
        api.destroySession(id);
        assertThat(api.sessionNode(id)).isNull();
    }

    @Test
    void aNodeThatNobodyRegisteredHasNoIndex() {
        assertThat(api.nodeIndex("no such node")).isZero();
    }

    @Test
    void aSessionThatIsNotRenewedEndsAfterTwiceItsTimeToLive() {
        long begun = System.nanoTime();
        String id = session(Duration.ofSeconds(1));
        long index = done(new KvOp.Lock(base + "k", 0, bytes("x"), id))
                .results()
                .getFirst()
                .modifyIndex();

        assertThat(api.watch(base, index, LONG).entries()).allMatch(entry -> entry.session() == null);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(8));
        assertThat(api.renewSession(id)).isFalse();
    }

    @Test
    void aSessionCannotBeMadeWithATimeToLiveThatConsulRefuses() {
        assertThatThrownBy(() -> session(Duration.ofMillis(10))).isInstanceOfSatisfying(ConsulException.class, e -> {
            assertThat(e.kind()).isEqualTo(FailureKind.INVALID);
            assertThat(e.effect()).isEqualTo(Effect.NOT_DONE);
        });
    }
}
