package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class LeavingCases extends DepartureCases {
    @Override
    BooleanSupplier departure(QueuedClaim waiting, int position) {
        return () -> leave(waiting) == LeaveOutcome.LEFT;
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
    @DisplayName("comes too late once it is granted, and has the grant, though it may have ended")
    void afterItsGrant() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        release(holder);
        HeldGrant granted = waiting.awaitGrant();

        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);

        stillHeld(granted);
        expect(KEY, 1, 0);

        release(granted);
        HeldGrant another = hold(TestClaims.lock(KEY));
        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);
        stillHeld(another);
    }
}
