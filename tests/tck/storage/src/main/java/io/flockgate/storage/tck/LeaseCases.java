package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class LeaseCases extends StorageCases {
    @Test
    @DisplayName("lasts its seconds and not a moment longer")
    void lastsItsSeconds() {
        HeldGrant holding = hold(TestClaims.lasting(4, TestClaims.lock(KEY)));

        harness.pass(Duration.ofSeconds(4).minus(harness.grain()));
        expect(KEY, 1, 0);
        assertThat(holding.ending()).isNull();

        harness.pass(harness.grain());
        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("that has ended leaves the key to a newcomer, although no timer has noticed yet")
    void newcomerAfterTheEnd() {
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));

        harness.passUnnoticed(Duration.ofSeconds(1));

        HeldGrant second = hold(TestClaims.notQueueing(TestClaims.lock(KEY)));
        assertThat(first.awaitEnd()).isEqualTo(Ending.EXPIRED);
        expect(KEY, 1, 0);
        stillHeld(second);
    }

    @Test
    @DisplayName("that has ended unnoticed passes the key to the waiter, not to the newcomer")
    void waiterBeforeNewcomerAfterTheEnd() {
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        harness.passUnnoticed(Duration.ofSeconds(1));
        QueuedClaim newcomer = queue(TestClaims.lock(KEY));

        stillHeld(waiting.awaitGrant());
        assertThat(first.awaitEnd()).isEqualTo(Ending.EXPIRED);
        assertThat(newcomer.granted()).isFalse();
        expect(KEY, 1, 1);
    }

    @Test
    @DisplayName("that has ended may or may not be released still, and the key passes on once either way")
    void releaseAfterTheEnd() {
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim next = queue(TestClaims.lock(KEY));
        QueuedClaim third = queue(TestClaims.lock(KEY));

        harness.passUnnoticed(Duration.ofSeconds(1));
        ReleaseOutcome outcome = tryRelease(first);

        HeldGrant second = next.awaitGrant();
        assertThat(first.awaitEnd()).isEqualTo(outcome == ReleaseOutcome.RELEASED ? Ending.RELEASED : Ending.EXPIRED);
        assertThat(third.granted()).isFalse();
        expect(KEY, 1, 1);
        stillHeld(second);
    }

    @Test
    @DisplayName("of a waiter starts with its grant, not with its claim, and is not as long as its predecessor's")
    void startsWithTheGrant() {
        HeldGrant first = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lasting(4, TestClaims.lock(KEY)));
        passSeconds(5);
        release(first);

        HeldGrant second = waiting.awaitGrant();
        harness.pass(Duration.ofSeconds(4).minus(harness.grain()));
        assertThat(second.ending()).isNull();
        expect(KEY, 1, 0);

        harness.pass(harness.grain());
        assertThat(second.awaitEnd()).isEqualTo(Ending.EXPIRED);
    }

    @Test
    @DisplayName("that ends passes the key to the next claim by itself, and so on in order")
    void oneAfterTheOther() {
        Claim claim = TestClaims.lasting(1, TestClaims.lock(KEY));
        HeldGrant last = hold(claim);
        List<QueuedClaim> queue = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            queue.add(queue(claim));
        }

        for (QueuedClaim waiting : queue) {
            passSeconds(1);
            HeldGrant next = waiting.awaitGrant();
            assertThat(Long.compareUnsigned(next.fence(), last.fence())).isPositive();
            last = next;
        }

        passSeconds(1);
        assertThat(last.awaitEnd()).isEqualTo(Ending.EXPIRED);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("of the longest kind does not end in a lifetime, nor one renewed to it")
    void ofTheLongestKind() {
        HeldGrant lock = hold(TestClaims.lasting(Claim.MAX_SECONDS, TestClaims.lock(KEY)));
        HeldGrant slot = hold(TestClaims.lasting(2, TestClaims.semaphore(OTHER_KEY, 2)));
        renew(slot, Claim.MAX_SECONDS);

        harness.pass(harness.longTime());

        expect(KEY, 1, 0);
        expect(OTHER_KEY, 1, 0);
        assertThat(lock.ending()).isNull();
        assertThat(slot.ending()).isNull();
    }

    @Test
    @DisplayName("of the longest kind ends no other before its time")
    void besideTheLongestKind() {
        Claim claim = TestClaims.semaphore(KEY, 3);
        HeldGrant one = hold(TestClaims.lasting(8, claim));
        HeldGrant longest = hold(TestClaims.lasting(Claim.MAX_SECONDS, claim));
        HeldGrant other = hold(TestClaims.lasting(1, claim));

        passSeconds(1);
        assertThat(other.awaitEnd()).isEqualTo(Ending.EXPIRED);
        expect(KEY, 2, 0);

        passSeconds(7);
        assertThat(one.awaitEnd()).isEqualTo(Ending.EXPIRED);
        stillHeld(longest);
    }
}
