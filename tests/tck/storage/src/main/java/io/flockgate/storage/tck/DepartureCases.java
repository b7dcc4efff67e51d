package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of a place in a queue without a grant, whether the claimant or an operator ends it. */
abstract class DepartureCases extends StorageCases {
    /**
     * The departure of the waiter at this position. It returns whether the waiter has departed;
     * otherwise the waiter has its grant.
     */
    abstract BooleanSupplier departure(QueuedClaim waiting, int position);

    private void depart(QueuedClaim waiting, int position) {
        assertThat(departure(waiting, position).getAsBoolean()).isTrue();
    }

    @Test
    @DisplayName("gives up its place and is never granted")
    void givesUpItsPlace() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        depart(waiting, 0);

        expect(KEY, 1, 0);
        stillHeld(holder);
        release(holder);
        expect(KEY, 0, 0);
        assertThat(waiting.granted()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"5, 2", "3, 0", "3, 2"})
    @DisplayName("from the middle, the head or the end lets the others keep their order")
    void servesTheRest(int many, int leaving) {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        List<QueuedClaim> queue = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            queue.add(queue(TestClaims.lock(KEY)));
        }
        QueuedClaim left = queue.remove(leaving);

        depart(left, leaving);
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
    @DisplayName("while it is being granted either has departed or has the grant, never both and never neither")
    void whileBeingGranted() {
        for (int round = 0; round < harness.many() / 15; round++) {
            HeldGrant holder = hold(TestClaims.lock(KEY));
            QueuedClaim waiting = queue(TestClaims.lock(KEY));
            BooleanSupplier departure = departure(waiting, 0);

            List<Object> outcomes =
                    Concurrently.run(2, i -> i == 0 ? tryRelease(holder) : (Object) departure.getAsBoolean());

            assertThat(outcomes.getFirst()).isEqualTo(ReleaseOutcome.RELEASED);
            boolean departed = outcomes.get(1).equals(true);
            if (!departed) {
                release(waiting.awaitGrant());
            }
            expect(KEY, 0, 0);
            assertThat(waiting.granted()).isEqualTo(!departed);
        }
    }
}
