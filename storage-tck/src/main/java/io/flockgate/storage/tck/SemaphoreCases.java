package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class SemaphoreCases extends StorageCases {
    SemaphoreCases(StorageHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("has as many holders as its limit and no more")
    void upToItsLimit() {
        Claim claim = Claims.semaphore(KEY, 3);
        for (int i = 1; i <= 3; i++) {
            assertThat(hold(claim).grant().kind()).isEqualTo(Kind.SEMAPHORE);
            expect(KEY, i, 0);
        }

        assertThat(refusal(Claims.notQueueing(claim))).isEqualTo(Refusal.BUSY);
        Waiting waiting = queue(claim);

        expect(KEY, 3, 1);
        assertThat(waiting.granted()).isFalse();
    }

    @Test
    @DisplayName("has no more holders than its limit when many claim it at the same time")
    void upToItsLimitUnderRaces() {
        Claim claim = Claims.notQueueing(Claims.semaphore(KEY, 3));
        List<RecordingClaimant> claimants = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            claimants.add(claimant());
        }

        var outcomes = Together.run(8, i -> claim(storage(), claim, claimants.get(i)));

        assertThat(outcomes).filteredOn(Held.class::isInstance).hasSize(3);
        expect(KEY, 3, 0);
    }

    @Test
    @DisplayName("gives each slot a token and a fence of its own")
    void distinctTokens() {
        List<Holding> holdings = holdAll(10);

        assertThat(holdings.stream().map(Holding::token)).doesNotHaveDuplicates();
        assertThat(holdings.stream().map(Holding::fence)).doesNotHaveDuplicates();
        assertThat(holdings.stream().map(each -> each.grant().salt())).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("frees the one slot whose token is given, whichever it is")
    void releasesOneSlot() {
        List<Holding> holdings = new ArrayList<>(holdAll(12));
        for (int each : new int[] {5, 0, 9, 3, 7}) {
            release(holdings.remove(each));
            expect(KEY, holdings.size(), 0);
        }

        holdings.forEach(this::stillHeld);
        assertThat(hold(Claims.semaphore(KEY, 12)).grant()).isNotNull();
    }

    @Test
    @DisplayName("passes a freed slot to the head of its queue")
    void passesASlotOn() {
        List<Holding> holdings = holdAll(3);
        Waiting head = queue(Claims.semaphore(KEY, 3));
        Waiting second = queue(Claims.semaphore(KEY, 3));

        release(holdings.get(1));

        stillHeld(head.awaitGrant());
        assertThat(second.granted()).isFalse();
        expect(KEY, 3, 1);
        stillHeld(holdings.get(0));
        stillHeld(holdings.get(2));
    }

    @Test
    @DisplayName("passes two freed slots to the first two of its queue, in their order")
    void passesTwoSlotsOn() {
        List<Holding> holdings = holdAll(2);
        Waiting head = queue(Claims.semaphore(KEY, 2));
        Waiting second = queue(Claims.semaphore(KEY, 2));
        Waiting third = queue(Claims.semaphore(KEY, 2));

        holdings.forEach(this::release);

        assertThat(Long.compareUnsigned(
                        head.awaitGrant().fence(), second.awaitGrant().fence()))
                .isNegative();
        assertThat(third.granted()).isFalse();
        expect(KEY, 2, 1);
    }

    @Test
    @DisplayName("lets one claimant have several slots")
    void severalSlotsOfOne() {
        RecordingClaimant claimant = claimant();
        Claim claim = Claims.semaphore(KEY, 2);

        assertThat(claim(storage(), claim, claimant)).isInstanceOf(Held.class);
        assertThat(claim(storage(), claim, claimant)).isInstanceOf(Held.class);

        expect(KEY, 2, 0);
    }

    @Test
    @DisplayName("with limit 1 has one holder")
    void limitOne() {
        Holding holding = hold(Claims.semaphore(KEY, 1));
        Waiting waiting = queue(Claims.semaphore(KEY, 1));
        assertThat(holding.grant().kind()).isEqualTo(Kind.SEMAPHORE);

        release(holding);

        assertThat(waiting.awaitGrant().grant().kind()).isEqualTo(Kind.SEMAPHORE);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("may have any limit that a long can say")
    void anyLimit() {
        Holding one = hold(Claims.semaphore(KEY, Long.MAX_VALUE));
        Holding other = hold(Claims.semaphore(KEY, Long.MAX_VALUE));

        stillHeld(one);
        release(other);
        expect(KEY, 1, 0);
    }

    @Test
    @DisplayName("ends the leases of its slots one by one")
    void leasesEndOneByOne() {
        Claim claim = Claims.semaphore(KEY, 3);
        Holding lasting = hold(claim);
        Holding brief = hold(Claims.lasting(1, claim));
        Holding longer = hold(Claims.lasting(3, claim));

        passSeconds(1);

        assertThat(brief.awaitEnd()).isNotNull();
        expect(KEY, 2, 0);
        passSeconds(2);
        assertThat(longer.awaitEnd()).isNotNull();
        expect(KEY, 1, 0);
        stillHeld(lasting);
    }

    private List<Holding> holdAll(int limit) {
        List<Holding> holdings = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            holdings.add(hold(Claims.semaphore(KEY, limit)));
        }
        return holdings;
    }
}
