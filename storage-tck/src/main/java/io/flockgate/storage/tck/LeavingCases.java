package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class LeavingCases extends StorageCases {
    LeavingCases(StorageHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("gives up its place and is never granted")
    void givesUpItsPlace() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.LEFT);

        expect(KEY, 1, 0);
        stillHeld(holder);
        release(holder);
        expect(KEY, 0, 0);
        assertThat(waiting.granted()).isFalse();
    }

    @Test
    @DisplayName("from the middle lets the others keep their order")
    void fromTheMiddle() {
        servesTheRest(5, 2);
    }

    @Test
    @DisplayName("from the head lets the others keep their order")
    void fromTheHead() {
        servesTheRest(3, 0);
    }

    @Test
    @DisplayName("from the end lets the others keep their order")
    void fromTheEnd() {
        servesTheRest(3, 2);
    }

    private void servesTheRest(int many, int leaving) {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        List<QueuedClaim> queue = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            queue.add(queue(TestClaims.lock(KEY)));
        }
        QueuedClaim left = queue.remove(leaving);

        assertThat(leave(left)).isEqualTo(LeaveOutcome.LEFT);
        expect(KEY, 1, many - 1);
        queue.add(queue(TestClaims.lock(KEY)));

        for (QueuedClaim waiting : queue) {
            release(holder);
            holder = waiting.awaitGrant();
        }
        release(holder);
        expect(KEY, 0, 0);
        assertThat(left.granted()).isFalse();
    }

    @Test
    @DisplayName("cannot leave twice")
    void notTwice() {
        hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        QueuedClaim behind = queue(TestClaims.lock(KEY));
        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.LEFT);

        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);

        expect(KEY, 1, 1);
        assertThat(behind.granted()).isFalse();
    }

    @Test
    @DisplayName("comes too late once it is granted, and has the grant")
    void afterItsGrant() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        release(holder);
        HeldGrant granted = waiting.awaitGrant();

        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);

        stillHeld(granted);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("gets the same answer when its grant has already ended")
    void afterItsGrantHasEnded() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        release(holder);
        release(waiting.awaitGrant());
        HeldGrant another = hold(TestClaims.lock(KEY));

        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);

        stillHeld(another);
    }

    @Test
    @DisplayName("goes to the end of the queue if it comes back")
    void comesBack() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        QueuedClaim second = queue(TestClaims.lock(KEY));
        assertThat(leave(first)).isEqualTo(LeaveOutcome.LEFT);
        QueuedClaim back = queue(TestClaims.lock(KEY));

        release(holder);

        release(second.awaitGrant());
        stillHeld(back.awaitGrant());
    }

    @Test
    @DisplayName("leaves a semaphore's queue as it leaves a lock's")
    void aSemaphore() {
        HeldGrant one = hold(TestClaims.semaphore(KEY, 2));
        hold(TestClaims.semaphore(KEY, 2));
        QueuedClaim first = queue(TestClaims.semaphore(KEY, 2));
        QueuedClaim second = queue(TestClaims.semaphore(KEY, 2));

        assertThat(leave(first)).isEqualTo(LeaveOutcome.LEFT);
        release(one);

        stillHeld(second.awaitGrant());
        assertThat(first.granted()).isFalse();
        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("while it is being granted either has left or has the grant, never both and never neither")
    void whileBeingGranted() {
        for (int round = 0; round < harness.many() / 10; round++) {
            HeldGrant holder = hold(TestClaims.lock(KEY));
            QueuedClaim waiting = queue(TestClaims.lock(KEY));

            List<Object> outcomes = Concurrently.run(2, i -> i == 0 ? tryRelease(holder) : leave(waiting));

            assertThat(outcomes.getFirst()).isEqualTo(ReleaseOutcome.RELEASED);
            if (outcomes.get(1) == LeaveOutcome.GRANTED) {
                release(waiting.awaitGrant());
            }
            expect(KEY, 0, 0);
            assertThat(waiting.granted()).isEqualTo(outcomes.get(1) == LeaveOutcome.GRANTED);
        }
    }
}
