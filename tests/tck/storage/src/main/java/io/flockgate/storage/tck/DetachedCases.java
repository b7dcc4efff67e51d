package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Grants of detached claimants. Cases about a stopped gateway need another one on the same store.
 */
abstract class DetachedCases extends StorageCases {
    @CanIgnoreReturnValue
    private HeldGrant holdDetached(Claim claim) {
        return hold(storage(), claim, claimant(true));
    }

    /**
     * Runs with another gateway, after the grant's gateway has stopped. Does nothing if there can
     * be no other.
     */
    private void afterItsGateway(Consumer<LockStorage> then) {
        otherGateway().ifPresent(other -> {
            Await.done(storage().close());
            then.accept(other);
        });
    }

    private ClaimOutcome tryOnce(LockStorage gateway, Claim claim) {
        return claim(gateway, TestClaims.notQueueing(claim), claimant());
    }

    @Test
    @DisplayName("is renewed and released like any other")
    void likeAnyOther() {
        likeAnyOther(TestClaims.lock(KEY));
        likeAnyOther(TestClaims.semaphore(OTHER_KEY, 1));
    }

    private void likeAnyOther(Claim claim) {
        HeldGrant holding = holdDetached(claim);
        QueuedClaim waiting = queue(storage(), claim, claimant(true));
        expect(claim.key(), 1, 1);
        stillHeld(holding);

        release(holding);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.RELEASED);
        HeldGrant next = waiting.awaitGrant();
        stillHeld(next);
        release(next);
        expect(claim.key(), 0, 0);
    }

    @Test
    @DisplayName("ends with its lease")
    void endsWithItsLease() {
        HeldGrant holding = holdDetached(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        passSeconds(1);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
        stillHeld(waiting.awaitGrant());
        assertThat(tryRenew(holding, 5)).isEqualTo(RenewOutcome.NOT_HELD);
    }

    @Test
    @DisplayName("outlives its gateway: its token renews and releases it through another one")
    void outlivesItsGateway() {
        Claim pool = TestClaims.semaphore(OTHER_KEY, 1);
        HeldGrant lock = holdDetached(TestClaims.lock(KEY));
        HeldGrant slot = holdDetached(pool);
        afterItsGateway(other -> {
            assertThat(lock.ending()).isNull();
            goesOn(other, lock, TestClaims.lock(KEY));
            goesOn(other, slot, pool);
        });
    }

    private void goesOn(LockStorage other, HeldGrant holding, Claim claim) {
        assertThat(tryOnce(other, claim)).isEqualTo(Refusal.BUSY);
        QueuedClaim waiting = queue(other, claim);
        assertThat(Await.result(other.renew(holding.key(), holding.token(), TestClaims.LASTING)))
                .isEqualTo(RenewOutcome.RENEWED);
        assertThat(waiting.granted()).isFalse();
        assertThat(Await.result(other.release(holding.key(), holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        HeldGrant next = waiting.awaitGrant();
        assertThat(Long.compareUnsigned(next.fence(), holding.fence())).isPositive();
        assertThat(Await.result(other.renew(holding.key(), holding.token(), 5))).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(Await.result(other.release(next.key(), next.token()))).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of a gateway that has stopped ends with its lease, and passes on to a waiter")
    void passesOnToAWaiter(Kind kind) {
        Claim claim = new Claim(KEY, kind, 1, TestClaims.LASTING, true);
        HeldGrant holding = holdDetached(TestClaims.lasting(2, claim));
        afterItsGateway(other -> {
            HeldGrant next = queue(other, claim).awaitGrant();
            assertThat(Long.compareUnsigned(next.fence(), holding.fence())).isPositive();
        });
    }

    @Test
    @DisplayName("of a gateway that has stopped passes on to a claim that does not queue")
    void passesOnToATry() {
        holdDetached(TestClaims.lasting(1, TestClaims.lock(KEY)));
        afterItsGateway(other -> {
            ClaimOutcome outcome = tryOnce(other, TestClaims.lock(KEY));
            for (int tries = 0; tries < 100 && outcome == Refusal.BUSY; tries++) {
                harness.pass(Duration.ofMillis(100));
                outcome = tryOnce(other, TestClaims.lock(KEY));
            }
            assertThat(outcome).isInstanceOf(Held.class);
        });
    }

    @Test
    @DisplayName("lasts for the lease of a renewal through another gateway")
    void renewedThroughAnother() {
        HeldGrant holding = holdDetached(TestClaims.lasting(2, TestClaims.lock(KEY)));
        LockStorage other = peer();
        assertThat(Await.result(other.renew(KEY, holding.token(), TestClaims.LASTING)))
                .isEqualTo(RenewOutcome.RENEWED);

        passSeconds(2);

        stillHeld(holding);
    }
}
