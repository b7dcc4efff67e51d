package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.Token;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class StaleTokenCases extends StorageCases {
    @Test
    @DisplayName("can neither release nor renew its successor after its lease has ended")
    void afterExpiry() {
        HeldGrant first = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim next = queue(TestClaims.lock(KEY));
        passSeconds(1);
        HeldGrant second = next.awaitGrant();

        doesNothing(KEY, first.token());

        stillHeld(second);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("can neither release nor renew its successor after a release, nor grant a third claim that waits")
    void afterRelease() {
        HeldGrant first = hold(TestClaims.lock(KEY));
        QueuedClaim next = queue(TestClaims.lock(KEY));
        QueuedClaim third = queue(TestClaims.lock(KEY));
        release(first);
        HeldGrant second = next.awaitGrant();

        doesNothing(KEY, first.token());

        assertThat(third.granted()).isFalse();
        stillHeld(second);
        expect(KEY, 1, 1);
    }

    @Test
    @DisplayName("of one slot touches no other slot")
    void ofASlot() {
        HeldGrant first = hold(TestClaims.semaphore(KEY, 2));
        HeldGrant second = hold(TestClaims.semaphore(KEY, 2));
        release(first);
        HeldGrant third = hold(TestClaims.semaphore(KEY, 2));

        doesNothing(KEY, first.token());

        stillHeld(second);
        stillHeld(third);
        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("can do nothing through another gateway either")
    void throughAnotherGateway() {
        HeldGrant first = hold(TestClaims.lock(KEY));
        LockStorage other = peer();
        release(first);
        HeldGrant second = hold(TestClaims.lock(KEY));

        assertThat(Await.result(other.release(KEY, first.token()))).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(Await.result(other.renew(KEY, first.token(), 1))).isEqualTo(RenewOutcome.NOT_HELD);

        stillHeld(second);
    }

    @Test
    @DisplayName("is not made good by the right fence with another salt, nor by the right salt with another fence")
    void halfRight() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        Token token = holding.token();

        doesNothing(KEY, new Token(token.fence(), token.salt() ^ 1));
        doesNothing(KEY, new Token(token.fence(), token.salt() ^ Long.MIN_VALUE));
        doesNothing(KEY, new Token(token.fence() + 1, token.salt()));
        doesNothing(KEY, new Token(token.salt(), token.fence()));

        stillHeld(holding);
    }

    @Test
    @DisplayName("of one key is nothing to another")
    void ofAnotherKey() {
        HeldGrant one = hold(TestClaims.lock(KEY));
        HeldGrant other = hold(TestClaims.lock(OTHER_KEY));

        doesNothing(KEY, other.token());
        doesNothing(OTHER_KEY, one.token());

        stillHeld(one);
        stillHeld(other);
    }

    @Test
    @DisplayName("that was never issued has no holder, and does not make the key that it names")
    void neverIssued() {
        doesNothing(KEY, new Token(1, 1));
        assertThat(exists(KEY)).isFalse();
        HeldGrant holding = hold(TestClaims.lock(KEY));

        doesNothing(KEY, Token.NEVER_ISSUED);
        doesNothing(KEY, new Token(-1, -1));

        stillHeld(holding);
    }

    private void doesNothing(Key key, Token token) {
        assertThat(Await.result(storage().release(key, token))).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(Await.result(storage().renew(key, token, 1))).isEqualTo(RenewOutcome.NOT_HELD);
    }
}
