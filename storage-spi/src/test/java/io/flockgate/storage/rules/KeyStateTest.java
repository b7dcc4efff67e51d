package io.flockgate.storage.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.WaitCounts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Cases that the model of the property test lacks: fences that run out within one call, and very
 * long leases.
 */
class KeyStateTest {
    private static final Key KEY = Key.of("k");

    private final KeyState lock = new KeyState(KEY, Kind.LOCK, 1, 0);
    private final Script script = new Script();

    @Test
    void theWaitsOfALongQueueAreCountedUpToABound() {
        claim(1, 10);
        for (int id = 2; id < WaitCounts.MAX_WAITERS + 10; id++) {
            claim(id, 10);
        }
        assertThat(lock.waits(5_000_000_000L).counts()).containsExactly(0, WaitCounts.MAX_WAITERS, 0, 0, 0, 0);
    }

    @Test
    void aNewcomerDoesNotOvertakeWhenFencesReturnInItsCall() {
        Grant first = ((Held) claim(1, 10)).grant();
        claim(2, 10);
        script.dryFor(1);
        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);

        script.dryFor(1);
        assertThatThrownBy(() -> claim(3, 10)).isInstanceOfSatisfying(StorageException.class, failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.FENCE);
            assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
        });

        assertThat(lock.holderCount()).isZero();
        assertThat(lock.waiterCount()).isEqualTo(1);
        lock.promote(0, script, script);
        assertThat(script.promoted).containsExactly(2L);
    }

    @Test
    void aReleaseIsDoneEvenIfNoFenceCanBeIssuedForTheNext() {
        Grant first = ((Held) claim(1, 10)).grant();
        claim(2, 10);
        claim(3, 10);
        script.dryFor(1);

        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(release(first)).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(script.stalled).isEqualTo(1);
        assertThat(lock.waiterCount()).isEqualTo(2);
    }

    @Test
    void aFreeKeyWithoutAFenceFailsAndStaysFree() {
        script.dryFor(1);
        assertThatThrownBy(() -> claim(1, 10)).isInstanceOf(StorageException.class);

        assertThat(lock.isIdle()).isTrue();
        assertThat(claim(1, 10)).isInstanceOf(Held.class);
    }

    @Test
    void theLongestLeaseOutlivesAnyServer() {
        claim(1, Claim.MAX_SECONDS);

        lock.expire(280L * 365 * 86_400 * 1_000_000_000L, script, script);

        assertThat(lock.holderCount()).isEqualTo(1);
    }

    @Test
    void leasesOfAllLengthsCanBeComparedToEachOther() {
        KeyState semaphore = new KeyState(KEY, Kind.SEMAPHORE, 3, 0);
        for (long seconds : new long[] {1, Claim.MAX_SECONDS, 9_000_000_000L}) {
            Claim claim = new Claim(KEY, Kind.SEMAPHORE, 3, seconds, true);
            assertThat(semaphore.claim(claim, new RulesClaimant(seconds), 5, TestLimits.NONE, script, script))
                    .isInstanceOf(Held.class);
        }

        semaphore.expire(1_000_000_005L, script, script);

        assertThat(semaphore.holderCount()).isEqualTo(2);
    }

    @Test
    void anotherKindIsRefusedAndDoesNotCountAsActivity() {
        KeyState semaphore = new KeyState(KEY, Kind.SEMAPHORE, 2, 7);

        assertThat(refusal(semaphore, new Claim(KEY, Kind.LOCK, 1, 1, true))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(refusal(lock, new Claim(KEY, Kind.SEMAPHORE, 1, 1, true))).isEqualTo(Refusal.KIND_MISMATCH);

        assertThat(semaphore.lastActivity()).isEqualTo(7);
        assertThat(semaphore.isIdle()).isTrue();
    }

    @Test
    void aSemaphoreRefusesAHolderTooMany() {
        KeyState semaphore = new KeyState(KEY, Kind.SEMAPHORE, 9, 0);
        Claim claim = new Claim(KEY, Kind.SEMAPHORE, 9, 1, true);

        assertThat(semaphore.claim(claim, new RulesClaimant(1), 1, new TestLimits(false, 0), script, script))
                .isEqualTo(Refusal.MAX_HOLDERS);
        assertThat(semaphore.holderCount()).isZero();
        assertThat(semaphore.claim(claim, new RulesClaimant(1), 1, TestLimits.NONE, script, script))
                .isInstanceOf(Held.class);
    }

    @Test
    void capsOnHoldersAreForSemaphoresOnly() {
        Claim claim = new Claim(KEY, Kind.LOCK, 1, 1, true);

        assertThat(lock.claim(claim, new RulesClaimant(1), 1, new TestLimits(false, 0), script, script))
                .isInstanceOf(Held.class);
    }

    @Test
    void aWaiterAnywhereInALongQueueCanLeave() {
        claim(0, 10);
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 1; i <= 100_000; i++) {
            waiters.add((Waiter) ((Queued) claim(i, 10)).ticket());
        }

        for (int i = 50_000; i < 99_999; i++) {
            assertThat(lock.leave(waiters.get(i), 1)).isTrue();
        }

        assertThat(lock.leave(waiters.get(50_000), 1)).isFalse();
        List<Long> left = new ArrayList<>();
        lock.waiters(Integer.MAX_VALUE).forEach(each -> left.add(each.claimant().id()));
        assertThat(left).hasSize(50_001).isSorted().endsWith(50_000L, 100_000L);
    }

    /** With a walk past all long leases for each short one, this would take tens of seconds. */
    @Test
    void shortLeasesEndAmongManyLongOnes() {
        KeyState semaphore = new KeyState(KEY, Kind.SEMAPHORE, 1_000_000, 0);
        for (int i = 0; i < 120_000; i++) {
            Claim claim = new Claim(KEY, Kind.SEMAPHORE, 1_000_000, i < 60_000 ? 9_999 : 3, false);
            assertThat(semaphore.claim(claim, new RulesClaimant(i), 0, TestLimits.NONE, script, script))
                    .isInstanceOf(Held.class);
        }

        long begin = System.nanoTime();
        semaphore.expire(Duration.ofSeconds(4).toNanos(), script, script);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
        assertThat(semaphore.holderCount()).isEqualTo(60_000);
    }

    @CanIgnoreReturnValue
    private ClaimOutcome claim(long id, long seconds) {
        return lock.claim(
                new Claim(KEY, Kind.LOCK, 1, seconds, true), new RulesClaimant(id), 0, TestLimits.NONE, script, script);
    }

    private ClaimOutcome refusal(KeyState key, Claim claim) {
        return key.claim(claim, new RulesClaimant(1), 100, TestLimits.NONE, script, script);
    }

    private ReleaseOutcome release(Grant grant) {
        return lock.release(grant.token(), 0, script, script);
    }

    /**
     * A token generator that can run out of fences for some calls, and a record of the
     * notifications.
     */
    private static final class Script implements TokenGenerator, KeyStateListener {
        final List<Long> promoted = new ArrayList<>();
        final Deque<Boolean> dry = new ArrayDeque<>();
        int stalled;
        long fence;

        void dryFor(int calls) {
            for (int i = 0; i < calls; i++) {
                dry.add(true);
            }
        }

        @Override
        public long nextFence() {
            return dry.poll() != null ? 0 : ++fence;
        }

        @Override
        public long nextSalt() {
            return 5;
        }

        @Override
        public void held(Holder holder) {}

        @Override
        public void renewed(Holder holder) {}

        @Override
        public void ended(Holder holder, Ending ending) {}

        @Override
        public void promoted(Waiter waiter, Holder holder) {
            promoted.add(waiter.claimant().id());
        }

        @Override
        public void stalled(KeyState key) {
            stalled++;
        }
    }
}
