package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class MismatchCases extends StorageCases {
    @Test
    @DisplayName("is refused while the key is a lock and held, limit 1 included")
    void heldLock() {
        HeldGrant holding = hold(TestClaims.lock(KEY));

        refusesSemaphores();

        stillHeld(holding);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("is refused while the key is a semaphore and held, limit 1 and free slots included")
    void heldSemaphore() {
        HeldGrant holding = hold(TestClaims.semaphore(KEY, 2));
        HeldGrant single = hold(TestClaims.semaphore(OTHER_KEY, 1));

        refusesLocks();
        assertThat(refusal(TestClaims.lock(OTHER_KEY))).isEqualTo(Refusal.KIND_MISMATCH);
        refusesOtherLimits();

        stillHeld(holding);
        stillHeld(single);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("is refused while others queue, and does not disturb them")
    void queued() {
        HeldGrant one = hold(TestClaims.semaphore(KEY, 2));
        hold(TestClaims.semaphore(KEY, 2));
        QueuedClaim waiting = queue(TestClaims.semaphore(KEY, 2));

        refusesLocks();
        refusesOtherLimits();

        expect(KEY, 2, 1);
        release(one);
        stillHeld(waiting.awaitGrant());
    }

    @Test
    @DisplayName("is refused as such even where the queue is full")
    void queueFull() {
        open(Limits.AMPLE.withMaxWaiters(1));
        hold(TestClaims.semaphore(KEY, 1));
        queue(TestClaims.semaphore(KEY, 1));

        refusesLocks();
        refusesOtherLimits();
    }

    @Test
    @DisplayName("is refused as such even where no more keys may be")
    void maxLocks() {
        open(Limits.AMPLE.withMaxLocks(1));
        hold(TestClaims.lock(KEY));

        refusesSemaphores();
    }

    @Test
    @DisplayName("is refused while the key is idle and not forgotten")
    void idle() {
        release(hold(TestClaims.lock(KEY)));
        refusesSemaphores();

        release(hold(TestClaims.semaphore(OTHER_KEY, 2)));
        assertThat(refusal(TestClaims.lock(OTHER_KEY))).isEqualTo(Refusal.KIND_MISMATCH);

        hold(TestClaims.lock(KEY));
        hold(TestClaims.semaphore(OTHER_KEY, 2));
    }

    @Test
    @DisplayName("sets the limit of an idle semaphore, regardless of its last holder")
    void limitOfAnIdleSemaphore() {
        HeldGrant first = hold(TestClaims.semaphore(KEY, 2));
        HeldGrant second = hold(TestClaims.semaphore(KEY, 2));
        QueuedClaim waiting = queue(TestClaims.semaphore(KEY, 2));
        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.LEFT);
        release(first);
        assertThat(refusal(TestClaims.semaphore(KEY, 3))).isEqualTo(Refusal.LIMIT_MISMATCH);
        release(second);

        hold(TestClaims.semaphore(KEY, 3));
        hold(TestClaims.semaphore(KEY, 3));
        HeldGrant third = hold(peer(), TestClaims.semaphore(KEY, 3));
        assertThat(refusal(TestClaims.notQueueing(TestClaims.semaphore(KEY, 3))))
                .isEqualTo(Refusal.BUSY);

        assertThat(refusal(TestClaims.semaphore(KEY, 2))).isEqualTo(Refusal.LIMIT_MISMATCH);
        stillHeld(third);
        expect(KEY, 3, 0);
    }

    @Test
    @DisplayName("sets the limit of a semaphore whose last lease is over")
    void limitAfterTheLastLease() {
        HeldGrant holder = hold(TestClaims.lasting(1, TestClaims.semaphore(KEY, 1)));
        harness.passUnnoticed(Duration.ofSeconds(1));

        hold(TestClaims.semaphore(KEY, 2));
        hold(TestClaims.semaphore(KEY, 2));

        assertThat(holder.awaitEnd()).isEqualTo(Ending.EXPIRED);
    }

    @Test
    @DisplayName("is refused through every gateway")
    void throughAnotherGateway() {
        hold(TestClaims.semaphore(KEY, 2));

        assertThat(claim(peer(), TestClaims.semaphore(KEY, 3), claimant())).isEqualTo(Refusal.LIMIT_MISMATCH);
        assertThat(claim(peer(), TestClaims.lock(KEY), claimant())).isEqualTo(Refusal.KIND_MISMATCH);
    }

    @Test
    @DisplayName("does not keep an idle key from being forgotten")
    void doesNotKeepAlive() {
        open(Limits.AMPLE.withGcMaxIdle(Duration.ofSeconds(3)));
        release(hold(TestClaims.lock(KEY)));
        passSeconds(2);
        refusesSemaphores();
        passSeconds(2);

        awaitForgotten(KEY);
        hold(TestClaims.semaphore(KEY, 3));
    }

    private void refusesSemaphores() {
        for (long limit : List.of(1L, 2L, Long.MAX_VALUE)) {
            refuses(TestClaims.semaphore(KEY, limit), Refusal.KIND_MISMATCH);
        }
    }

    private void refusesLocks() {
        refuses(TestClaims.lock(KEY), Refusal.KIND_MISMATCH);
    }

    private void refusesOtherLimits() {
        for (long limit : List.of(3L, 100L, Long.MAX_VALUE)) {
            refuses(TestClaims.semaphore(KEY, limit), Refusal.LIMIT_MISMATCH);
        }
    }

    private void refuses(Claim claim, Refusal refusal) {
        assertThat(refusal(claim)).isEqualTo(refusal);
        assertThat(refusal(TestClaims.notQueueing(claim))).isEqualTo(refusal);
    }
}
