package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class BoundCases extends StorageCases {
    @Test
    @DisplayName("on keys counts locks and semaphores, each key once, and of a refused one nothing stays")
    void onKeys() {
        open(Limits.AMPLE.withMaxLocks(2));
        hold(TestClaims.lock(Key.of("a")));
        hold(TestClaims.semaphore(Key.of("b"), 3));
        hold(TestClaims.semaphore(Key.of("b"), 3));

        assertThat(refusal(TestClaims.semaphore(KEY, 3))).isEqualTo(Refusal.MAX_LOCKS);
        assertThat(refusal(TestClaims.lock(KEY))).isEqualTo(Refusal.MAX_LOCKS);
        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.MAX_LOCKS);

        assertThat(exists(KEY)).isFalse();
        expect(KEY, 0, 0);
        KeyPage page = Await.result(storage().inspect(KeyQuery.all(10)));
        assertThat(page.keys()).hasSize(2);
    }

    @Test
    @DisplayName("on keys counts an idle key until it is forgotten")
    void onIdleKeys() {
        open(Limits.AMPLE.withMaxLocks(1).withGcMaxIdle(Duration.ofSeconds(1)));
        release(hold(TestClaims.lock(KEY)));
        assertThat(refusal(TestClaims.lock(OTHER_KEY))).isEqualTo(Refusal.MAX_LOCKS);

        passSeconds(2);
        awaitForgotten(KEY);

        hold(TestClaims.lock(OTHER_KEY));
        assertThat(refusal(TestClaims.lock(KEY))).isEqualTo(Refusal.MAX_LOCKS);
    }

    @Test
    @DisplayName("on keys is reported beside the number of keys, and of those that are idle")
    void onKeysIsReported() {
        open(Limits.AMPLE.withMaxLocks(5));
        hold(TestClaims.lock(KEY));
        queue(TestClaims.lock(KEY));
        hold(TestClaims.semaphore(Key.of("pool"), 3));
        awaitUsage(new KeyUsage(2, 0, 5));

        release(hold(TestClaims.lock(OTHER_KEY)));
        release(hold(TestClaims.semaphore(Key.of("other-pool"), 3)));
        awaitUsage(new KeyUsage(4, 2, 5));

        hold(TestClaims.lock(OTHER_KEY));
        awaitUsage(new KeyUsage(4, 1, 5));
    }

    /** Waits, because a storage may report its usage a few seconds late. */
    private void awaitUsage(KeyUsage usage) {
        for (int checks = 0; checks < 50 && !storage().usage().equals(usage); checks++) {
            harness.pass(Duration.ofMillis(100));
        }
        assertThat(storage().usage()).isEqualTo(usage);
    }

    @Test
    @DisplayName("on keys is met exactly when many make keys at the same time")
    void onKeysUnderRaces() {
        open(Limits.AMPLE.withMaxLocks(10));

        assertThat(raced(Held.class, i -> TestClaims.lock(Key.of("key-" + i)))).isEqualTo(10);
        assertThat(Await.result(storage().inspect(KeyQuery.all(100))).keys()).hasSize(10);
    }

    @Test
    @DisplayName("on all holders refuses one too many of any semaphore, of which nothing stays; locks do not count")
    void onAllHolders() {
        open(Limits.AMPLE.withMaxHolders(2));
        hold(TestClaims.lock(OTHER_KEY));
        HeldGrant first = hold(TestClaims.semaphore(Key.of("a"), 5));
        hold(TestClaims.semaphore(Key.of("b"), 5));
        hold(TestClaims.lock(Key.of("c")));

        assertThat(refusal(TestClaims.semaphore(Key.of("a"), 5))).isEqualTo(Refusal.MAX_HOLDERS);
        assertThat(refusal(TestClaims.notQueueing(TestClaims.semaphore(KEY, 5))))
                .isEqualTo(Refusal.MAX_HOLDERS);
        assertThat(exists(KEY)).isFalse();
        awaitUsage(new KeyUsage(4, 0, Limits.AMPLE.caps().maxLocks()));

        release(first);
        hold(TestClaims.semaphore(KEY, 5));
        assertThat(refusal(TestClaims.semaphore(Key.of("a"), 5))).isEqualTo(Refusal.MAX_HOLDERS);
    }

    @Test
    @DisplayName("on all holders is no bound to who waits for a slot")
    void onAllHoldersWithWaiters() {
        open(Limits.AMPLE.withMaxHolders(1));
        HeldGrant first = hold(TestClaims.semaphore(KEY, 1));
        QueuedClaim waiting = queue(TestClaims.semaphore(KEY, 1));

        release(first);
        HeldGrant second = waiting.awaitGrant();
        assertThat(refusal(TestClaims.semaphore(OTHER_KEY, 1))).isEqualTo(Refusal.MAX_HOLDERS);

        release(second);
        hold(TestClaims.semaphore(OTHER_KEY, 1));
    }

    @Test
    @DisplayName("on all holders has room again when a lease ends")
    void onAllHoldersWhoseLeaseEnds() {
        open(Limits.AMPLE.withMaxHolders(1));
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.semaphore(KEY, 5)));
        assertThat(refusal(TestClaims.semaphore(OTHER_KEY, 5))).isEqualTo(Refusal.MAX_HOLDERS);

        passSeconds(2);
        assertThat(first.awaitEnd()).isEqualTo(Ending.EXPIRED);

        hold(TestClaims.semaphore(OTHER_KEY, 5));
    }

    @Test
    @DisplayName("on holders is met exactly when many hold at the same time")
    void onHoldersUnderRaces() {
        open(Limits.AMPLE.withMaxHolders(10));

        assertThat(raced(Held.class, i -> TestClaims.semaphore(i % 2 == 0 ? KEY : OTHER_KEY, 100)))
                .isEqualTo(10);
        assertThat(refusal(TestClaims.semaphore(KEY, 100))).isEqualTo(Refusal.MAX_HOLDERS);
    }

    @Test
    @DisplayName("on waiters is each key's own, and refuses a waiter too many, whether it wants to queue or not")
    void onWaiters() {
        open(Limits.AMPLE.withMaxWaiters(2));
        hold(TestClaims.lock(KEY));
        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.BUSY);
        queue(TestClaims.lock(KEY));
        queue(TestClaims.lock(KEY));

        assertThat(refusal(TestClaims.lock(KEY))).isEqualTo(Refusal.MAX_WAITERS);
        assertThat(refusal(TestClaims.notQueueing(TestClaims.lock(KEY)))).isEqualTo(Refusal.MAX_WAITERS);

        expect(KEY, 1, 2);
        hold(TestClaims.lock(OTHER_KEY));
        queue(TestClaims.lock(OTHER_KEY));
    }

    @Test
    @DisplayName("on waiters has room again when one leaves or is granted")
    void onWaitersThatGo() {
        open(Limits.AMPLE.withMaxWaiters(1));
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        assertThat(leave(first)).isEqualTo(LeaveOutcome.LEFT);
        QueuedClaim second = queue(TestClaims.lock(KEY));

        release(holder);
        stillHeld(second.awaitGrant());

        queue(TestClaims.lock(KEY));
        assertThat(refusal(TestClaims.lock(KEY))).isEqualTo(Refusal.MAX_WAITERS);
    }

    @Test
    @DisplayName("on waiters is met exactly when many queue at the same time")
    void onWaitersUnderRaces() {
        open(Limits.AMPLE.withMaxWaiters(10));
        hold(TestClaims.lock(KEY));

        assertThat(raced(Queued.class, i -> TestClaims.lock(KEY))).isEqualTo(10);
        expect(KEY, 1, 10);
    }
}
