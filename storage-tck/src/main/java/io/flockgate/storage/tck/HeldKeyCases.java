package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class HeldKeyCases extends StorageCases {
    HeldKeyCases(StorageHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("queues a claim, which has a ticket and no token yet")
    void queuesAClaim() {
        Holding holding = hold(Claims.lock(KEY));

        Waiting waiting = queue(Claims.lock(KEY));

        assertThat(waiting.ticket().key()).isEqualTo(KEY);
        assertThat(waiting.granted()).isFalse();
        expect(KEY, 1, 1);
        stillHeld(holding);
    }

    @Test
    @DisplayName("is busy to a claim that does not want to queue, of which nothing stays")
    void isBusy() {
        Holding holding = hold(Claims.lock(KEY));

        assertThat(refusal(Claims.notQueueing(Claims.lock(KEY)))).isEqualTo(Refusal.BUSY);

        expect(KEY, 1, 0);
        stillHeld(holding);
    }

    @Test
    @DisplayName("passes to the next claim with its release, before that is answered")
    void passesOn() {
        Holding first = hold(Claims.lock(KEY));
        Waiting next = queue(Claims.lock(KEY));

        release(first);

        expect(KEY, 1, 0);
        Holding second = next.awaitGrant();
        assertThat(second.grant().key()).isEqualTo(KEY);
        assertThat(second.token()).isNotEqualTo(first.token());
        stillHeld(second);
    }

    @Test
    @DisplayName("tells its holder of the release, before that is answered")
    void tellsOfTheRelease() {
        Holding holding = hold(Claims.lock(KEY));

        release(holding);

        assertThat(holding.ending()).isEqualTo(Ending.RELEASED);
    }

    @Test
    @DisplayName("tells a holder that had waited of the release as well")
    void tellsAWaiterOfTheRelease() {
        Holding first = hold(Claims.lock(KEY));
        Waiting next = queue(Claims.lock(KEY));
        release(first);
        Holding second = next.awaitGrant();
        assertThat(second.ending()).isNull();

        release(second);

        assertThat(second.ending()).isEqualTo(Ending.RELEASED);
        expect(KEY, 0, 0);
    }

    @Test
    @DisplayName("is released by whoever has the token, through any gateway")
    void releasedThroughAnotherGateway() {
        Holding holding = hold(Claims.lock(KEY));
        Waiting next = queue(Claims.lock(KEY));

        assertThat(Await.result(peer().release(KEY, holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(holding.awaitEnd()).isEqualTo(Ending.RELEASED);
        stillHeld(next.awaitGrant());
    }

    @Test
    @DisplayName("is held to claims through any gateway")
    void heldToAllGateways() {
        Holding holding = hold(Claims.lock(KEY));

        ClaimOutcome outcome = claim(peer(), Claims.notQueueing(Claims.lock(KEY)), claimant());

        assertThat(outcome).isEqualTo(Refusal.BUSY);
        stillHeld(holding);
    }

    @Test
    @DisplayName("is held to its own holder too")
    void isNotReentrant() {
        Holding first = hold(Claims.lock(KEY));

        ClaimOutcome outcome = claim(storage(), Claims.lock(KEY), first.claimant());

        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        release(first);
        Holding second = new Waiting(first.claimant(), ((ClaimOutcome.Queued) outcome).ticket()).awaitGrant();
        stillHeld(second);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("is released once when many release it at the same time")
    void releasedOnce() {
        Holding holding = hold(Claims.lock(KEY));
        Waiting next = queue(Claims.lock(KEY));

        var outcomes = Together.run(4, i -> tryRelease(holding));

        assertThat(outcomes).containsOnlyOnce(ReleaseOutcome.RELEASED);
        stillHeld(next.awaitGrant());
        expect(KEY, 1, 0);
    }
}
