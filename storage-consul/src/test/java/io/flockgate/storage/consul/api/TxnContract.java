package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The contract of transactions. */
abstract class TxnContract extends ConsulApiContract {
    /** Whether the key has another index than the condition requires, or exists and must not. */
    static boolean isIndexMismatch(Obstacle obstacle) {
        String what = obstacle.what();
        return what.endsWith(", index is stale")
                || what.startsWith("failed index check for key ")
                || what.startsWith("failed to check index, key ")
                || (what.startsWith("key ") && what.endsWith(" exists"));
    }

    @Test
    void checkAndSetNeedsTheNewestIndexAndZeroForANewKey() {
        KvEntry first = create(base + "k", "1");
        assertThat(first.createIndex()).isPositive().isEqualTo(first.modifyIndex());
        long second = done(new KvOp.Cas(base + "k", 0, bytes("2"), first.modifyIndex()))
                .results()
                .getFirst()
                .modifyIndex();
        assertThat(second).isGreaterThan(first.modifyIndex());
        for (long stale : new long[] {0, first.modifyIndex()}) {
            assertThat(conflict(new KvOp.Cas(base + "k", 0, bytes("3"), stale)))
                    .singleElement()
                    .satisfies(obstacle -> assertThat(isIndexMismatch(obstacle)).isTrue());
        }
        KvEntry now = only(base + "k");
        assertThat(text(now)).isEqualTo("2");
        assertThat(now.modifyIndex()).isEqualTo(second);
        assertThat(now.createIndex()).isEqualTo(first.createIndex());
    }

    /** Every write replaces them. */
    @Test
    void flagsHaveSixtyFourBitsWithoutSign() {
        for (long flags : new long[] {SEMAPHORE, 3304740253564472344L, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(done(new KvOp.Set(base + "k", flags, bytes("x")))
                            .results()
                            .getFirst()
                            .flags())
                    .isEqualTo(flags);
            assertThat(only(base + "k").flags()).isEqualTo(flags);
        }
    }

    @Test
    void valuesAreBytesOfAnyKind() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        done(new KvOp.Set(base + "all", 0, all), new KvOp.Set(base + "none", 0, new byte[0]));

        assertThat(only(base + "all").value()).isEqualTo(all);
        assertThat(only(base + "none").value()).isEmpty();
    }

    @Test
    void aWriteReturnsItsIndexButNotItsValue() {
        KvEntry returned =
                done(new KvOp.Cas(base + "k", 7, bytes("v"), 0)).results().getFirst();

        assertThat(returned.key()).isEqualTo(base + "k");
        assertThat(returned.flags()).isEqualTo(7);
        assertThat(returned.value()).isEmpty();
        assertThat(returned.modifyIndex()).isEqualTo(only(base + "k").modifyIndex());
    }

    @Test
    void allOperationsOfATransactionHaveOneIndexAndATreeShowsThem() {
        List<KvEntry> results = done(set(base + "b", "2"), set(base + "a", "1"), new KvOp.GetTree(base))
                .results();

        assertThat(results).extracting(KvEntry::key).containsExactly(base + "b", base + "a", base + "a", base + "b");
        assertThat(results)
                .extracting(KvEntry::modifyIndex)
                .containsOnly(results.getFirst().modifyIndex());
        assertThat(results.subList(2, 4)).extracting(ConsulApiContract::text).containsExactly("1", "2");
    }

    @Test
    void aTreeShowsWhatTheOperationsBeforeItHaveLeft() {
        KvEntry gone = create(base + "gone", "x");
        List<KvEntry> results = done(
                        new KvOp.DeleteCas(base + "gone", gone.modifyIndex()),
                        new KvOp.GetTree(base),
                        set(base + "late", "x"))
                .results();

        assertThat(results).extracting(KvEntry::key).containsExactly(base + "late");
    }

    @Test
    void oneConflictUndoesAllAndEveryConflictIsNamed() {
        create(base + "there", "x");

        List<Obstacle> obstacles = conflict(
                new KvOp.CheckNotExists(base + "there"),
                set(base + "new", "x"),
                new KvOp.CheckIndex(base + "absent", 5),
                new KvOp.CheckIndex(base + "there", 5));

        assertThat(obstacles).extracting(Obstacle::operation).containsExactly(0, 2, 3);
        assertThat(obstacles).allMatch(TxnContract::isIndexMismatch);
        assertThat(keys(base)).containsExactly(base + "there");
    }

    @Test
    void checksPassWhenTheyHold() {
        KvEntry made = create(base + "k", "x");

        done(new KvOp.CheckIndex(base + "k", made.modifyIndex()), new KvOp.CheckNotExists(base + "absent"));
    }

    @Test
    void deletionNeedsTheNewestIndexOrAnAbsentKey() {
        KvEntry made = create(base + "k", "x");

        assertThat(conflict(new KvOp.DeleteCas(base + "k", made.modifyIndex() - 1)))
                .allMatch(TxnContract::isIndexMismatch);
        done(new KvOp.DeleteCas(base + "k", made.modifyIndex()));
        assertThat(read(base)).isEmpty();
        done(new KvOp.DeleteCas(base + "k", made.modifyIndex()));
    }

    @Test
    void aWriteThatChangesNothingLeavesTheIndex() {
        KvEntry made = create(base + "k", "x");

        KvEntry returned = done(new KvOp.Cas(base + "k", 0, bytes("x"), made.modifyIndex()))
                .results()
                .getFirst();

        assertThat(returned.modifyIndex()).isEqualTo(made.modifyIndex());
        assertThat(only(base + "k").modifyIndex()).isEqualTo(made.modifyIndex());
    }

    @Test
    void aKeyIsHeldByOneSessionWhichMayLockItAgainAndAPlainWriteIgnoresThat() {
        String holder = session();
        String other = session();
        done(new KvOp.Lock(base + "k", 5, bytes("mine"), holder));

        assertThat(conflict(new KvOp.Lock(base + "k", 0, bytes("theirs"), other)))
                .singleElement()
                .satisfies(obstacle -> assertThat(obstacle.what()).endsWith(", lock is already held"));
        KvEntry held = only(base + "k");
        assertThat(held.session()).isEqualTo(holder);
        assertThat(held.flags()).isEqualTo(5);
        assertThat(text(held)).isEqualTo("mine");
        done(new KvOp.Lock(base + "k", 0, bytes("again"), holder));
        assertThat(text(only(base + "k"))).isEqualTo("again");
        assertThat(only(base + "k").modifyIndex()).isGreaterThan(held.modifyIndex());
        done(set(base + "k", "plain"));
        assertThat(only(base + "k").session()).isEqualTo(holder);
    }

    @Test
    void onlyTheHolderUnlocksAndTheKeyStays() {
        String holder = session();
        String other = session();
        done(new KvOp.Lock(base + "k", 5, bytes("x"), holder));

        assertThat(conflict(
                        new KvOp.Unlock(base + "k", 5, bytes("x"), other),
                        new KvOp.Unlock(base + "absent", 5, bytes("x"), holder)))
                .hasSize(2)
                .allMatch(obstacle -> obstacle.what().startsWith("failed to unlock key "));
        done(new KvOp.Unlock(base + "k", 5, bytes("x"), holder));
        KvEntry free = only(base + "k");
        assertThat(free.session()).isNull();
        assertThat(free.flags()).isEqualTo(5);
        done(new KvOp.Lock(base + "k", 5, bytes("x"), other));
    }

    @Test
    void aSessionThatDoesNotExistCannotLock() {
        String missing = UUID.randomUUID().toString();
        assertThat(conflict(new KvOp.Lock(base + "k", 0, bytes("x"), missing)))
                .singleElement()
                .satisfies(obstacle -> assertThat(obstacle.missingSession()).isEqualTo(missing));
    }

    @Test
    void aTransactionWithTooManyOperationsIsNotDone() {
        KvOp operation = new KvOp.CheckNotExists(base + "k");
        var many = new java.util.ArrayList<>(Collections.nCopies(200, operation));
        many.set(0, set(base + "k", "x"));

        assertInvalid(api.txn(many));
        assertThat(read(base)).isEmpty();
    }

    /** The larger value that fits is that of the largest roster. */
    @Test
    void aTransactionThatIsTooLargeIsNotDone() {
        assertInvalid(api.txn(List.of(new KvOp.Set(base + "k", 0, new byte[600_000]))));
        assertThat(read(base)).isEmpty();
        done(new KvOp.Set(base + "k", 0, new byte[387_072]));
    }

    private static void assertInvalid(TxnOutcome outcome) {
        assertThat(outcome).isInstanceOfSatisfying(NotDone.class, notDone -> {
            assertThat(notDone.cause().kind()).isEqualTo(FailureKind.INVALID);
            assertThat(notDone.cause().effect()).isEqualTo(Effect.NOT_DONE);
        });
    }
}
