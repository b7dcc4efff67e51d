package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.RenewOutcome;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class RenewalCases extends StorageCases {
    @Test
    @DisplayName("starts the lease anew for the seconds asked for")
    void startsAnew() {
        HeldGrant holding = hold(TestClaims.lasting(4, TestClaims.lock(KEY)));
        passSeconds(2);

        renew(holding, 4);

        harness.pass(Duration.ofSeconds(4).minus(harness.grain()));
        expect(KEY, 1, 0);
        assertThat(holding.ending()).isNull();
        harness.pass(harness.grain());
        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
    }

    @Test
    @DisplayName("may make a slot's lease shorter than those of the other slots")
    void mayShortenASlot() {
        Claim claim = TestClaims.semaphore(KEY, 3);
        HeldGrant one = hold(TestClaims.lasting(60, claim));
        HeldGrant shortened = hold(claim);
        HeldGrant other = hold(claim);

        renew(shortened, 1);
        passSeconds(1);

        assertThat(shortened.awaitEnd()).isEqualTo(Ending.EXPIRED);
        stillHeld(one);
        stillHeld(other);
        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("comes too late at the end of the lease: its holder is notified, and the next claim is granted")
    void tooLate() {
        HeldGrant holding = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        QueuedClaim next = queue(TestClaims.lock(KEY));
        harness.passUnnoticed(Duration.ofSeconds(1));

        if (tryRenew(holding, 5) == RenewOutcome.LEASE_EXPIRED) {
            assertThat(holding.ending()).isEqualTo(Ending.EXPIRED);
        }
        assertThat(tryRenew(holding, 5)).isEqualTo(RenewOutcome.NOT_HELD);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
        stillHeld(next.awaitGrant());
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("that came too late finds nothing the second time")
    void tooLateTwice() {
        HeldGrant holding = hold(TestClaims.lasting(1, TestClaims.semaphore(KEY, 2)));
        HeldGrant other = hold(TestClaims.semaphore(KEY, 2));
        harness.passUnnoticed(Duration.ofSeconds(1));
        assertThat(tryRenew(holding, 5)).isNotEqualTo(RenewOutcome.RENEWED);

        assertThat(tryRenew(holding, 5)).isEqualTo(RenewOutcome.NOT_HELD);

        expect(KEY, 1, 0);
        stillHeld(other);
    }

    @Test
    @DisplayName("works for whoever has the token, through any gateway")
    void throughAnotherGateway() {
        HeldGrant holding = hold(TestClaims.lasting(2, TestClaims.lock(KEY)));

        assertThat(Await.result(peer().renew(KEY, holding.token(), 5))).isEqualTo(RenewOutcome.RENEWED);
        passSeconds(3);

        assertThat(holding.ending()).isNull();
        stillHeld(holding);
    }

    @Test
    @DisplayName("may shorten a lease through any gateway")
    void shortenedThroughAnotherGateway() {
        HeldGrant holding = hold(TestClaims.lock(KEY));

        // Long enough for the first gateway to see the renewal, because otherwise it takes the end
        // for a release.
        assertThat(Await.result(peer().renew(KEY, holding.token(), 5))).isEqualTo(RenewOutcome.RENEWED);
        passSeconds(5);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
        expect(KEY, 0, 0);
    }
}
