package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class RemovalCases extends DepartureCases {
    @Override
    BooleanSupplier departure(QueuedClaim waiting, int position) {
        String id = waiters(KEY).get(position);
        return () -> removed(waiting, id);
    }

    /** Whether the waiter has been removed and notified; otherwise it has been granted. */
    private boolean removed(QueuedClaim waiting, String id) {
        if (removeWaiter(KEY, id) == RemoveOutcome.REMOVED) {
            waiting.claimant().awaitRemoved(waiting.ticket());
            return true;
        }
        return false;
    }

    @Test
    @DisplayName("is told so when the removal is answered, and nobody else is")
    void isTold() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        QueuedClaim second = queue(TestClaims.lock(KEY));
        QueuedClaim third = queue(TestClaims.lock(KEY));
        List<String> ids = waiters(KEY);

        assertThat(removeWaiter(KEY, ids.get(1))).isEqualTo(RemoveOutcome.REMOVED);

        assertThat(second.claimant().isRemoved(second.ticket())).isTrue();
        assertThat(waiters(KEY)).containsExactly(ids.get(0), ids.get(2));
        assertThat(first.claimant().isRemoved(first.ticket())).isFalse();
        assertThat(third.claimant().isRemoved(third.ticket())).isFalse();
        stillHeld(holder);
    }

    @Test
    @DisplayName("has an id that no other waiter has")
    void hasAnId() {
        hold(TestClaims.lock(KEY));
        for (int i = 0; i < 5; i++) {
            queue(TestClaims.lock(KEY));
        }

        List<String> ids = waiters(KEY);

        assertThat(ids).hasSize(5).doesNotHaveDuplicates();
        assertThat(ids)
                .allMatch(id -> id.matches("[!-.0-~]+") && id.length() <= WaiterView.MAX_ID_LENGTH, "an opaque id");
    }

    @Test
    @DisplayName("is not found by the id of a waiter that has left")
    void noLaterWaiter() {
        hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        QueuedClaim second = queue(TestClaims.lock(KEY));
        String id = waiters(KEY).getFirst();
        assertThat(leave(first)).isEqualTo(LeaveOutcome.LEFT);
        QueuedClaim third = queue(TestClaims.lock(KEY));

        assertThat(removeWaiter(KEY, id)).isEqualTo(RemoveOutcome.NOT_QUEUED);

        expect(KEY, 1, 2);
        assertThat(second.claimant().isRemoved(second.ticket())).isFalse();
        assertThat(third.claimant().isRemoved(third.ticket())).isFalse();
    }

    @Test
    @DisplayName("has to be in the queue")
    void notQueued() {
        hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        for (String id : List.of("", "0", "1", "0000000000000000", "no-such-waiter", "\u0000", "x".repeat(1000))) {
            assertThat(removeWaiter(KEY, id)).isEqualTo(RemoveOutcome.NOT_QUEUED);
        }
        assertThat(removeWaiter(OTHER_KEY, waiters(KEY).getFirst())).isEqualTo(RemoveOutcome.NOT_QUEUED);

        expect(KEY, 1, 1);
        assertThat(waiting.claimant().isRemoved(waiting.ticket())).isFalse();
        assertThat(exists(OTHER_KEY)).isFalse();
    }

    @Test
    @DisplayName("is removed once only, and cannot leave any more")
    void once() {
        hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        String id = waiters(KEY).getFirst();
        assertThat(removeWaiter(KEY, id)).isEqualTo(RemoveOutcome.REMOVED);

        assertThat(removeWaiter(KEY, id)).isEqualTo(RemoveOutcome.NOT_QUEUED);
        assertThat(leave(waiting)).isEqualTo(LeaveOutcome.GRANTED);
    }

    @Test
    @DisplayName("is a holder once it is granted, and stays one")
    void afterItsGrant() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        String id = waiters(KEY).getFirst();
        release(holder);
        HeldGrant granted = waiting.awaitGrant();

        assertThat(removeWaiter(KEY, id)).isEqualTo(RemoveOutcome.NOT_QUEUED);

        stillHeld(granted);
    }

    @Test
    @DisplayName("may wait at another gateway, which tells it")
    void throughAnotherGateway() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        QueuedClaim second = queue(TestClaims.lock(KEY));

        assertThat(Await.result(peer().removeWaiter(KEY, waiters(KEY).getFirst())))
                .isEqualTo(RemoveOutcome.REMOVED);

        first.claimant().awaitRemoved(first.ticket());
        assertThat(waiters(KEY)).hasSize(1);
        release(holder);
        stillHeld(second.awaitGrant());
        assertThat(first.granted()).isFalse();
    }
}
