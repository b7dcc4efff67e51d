package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final int MIB = 1 << 20;
    private static final String ONE = "192.0.2.1";
    private static final String OTHER = "192.0.2.2";

    @Test
    void theGroupsOfAnIpv6SiteLeaveRoomForOthers() {
        MemoryBudget budget = new MemoryBudget(1_000);
        int drawn = 0;
        for (int i = 0; i < 1_000; i++) {
            drawn += budget.of("2001:db8:1:" + Integer.toHexString(i) + "::1").draw(10) ? 10 : 0;
        }
        assertThat(drawn).isBetween(500, 750);
        assertThat(budget.of("192.0.2.1").draw(100)).isTrue();
    }

    @Test
    void someMayUseAPartOnly() {
        MemoryBudget budget = new MemoryBudget(803);
        assertThat(budget.of(ONE).draw(702, 7)).isTrue();
        assertThat(budget.of(OTHER).draw(1, 7)).isFalse();
        assertThat(budget.of(OTHER).draw(101, 8)).isTrue();
        assertThat(budget.of("192.0.2.3").draw(1)).isFalse();
        budget.of(OTHER).giveBack(101);
        assertThat(budget.of(OTHER).draw(1, 7)).isFalse();
        assertThat(budget.of(OTHER).draw(101)).isTrue();
    }

    @Test
    void anAddressHasAtMostThreeTimesWhatItLeavesFree() {
        MemoryBudget budget = new MemoryBudget(400);
        MemoryBudget.Share one = budget.of("2001:db8::1");
        assertThat(one.draw(1)).isTrue();
        assertThat(budget.of("2001:db8::2").draw(299)).isTrue();
        assertThat(one.draw(1)).isFalse();

        MemoryBudget.Share other = budget.of("2001:db8:1::1");
        assertThat(other.draw(40)).isTrue();
        assertThat(other.draw(35)).isTrue();
        assertThat(other.draw(1)).isFalse();

        one.giveBack(300);
        assertThat(other.draw(225)).isTrue();
        assertThat(other.draw(1)).isFalse();
    }

    @Test
    void anAddressWithoutMemoryGetsWhatIsLeft() {
        MemoryBudget budget = new MemoryBudget(400);
        assertThat(budget.of(ONE).draw(100)).isTrue();
        assertThat(budget.of(OTHER).draw(300)).isTrue();
        budget.of(ONE).giveBack(100);
        assertThat(budget.of(ONE).draw(100)).isTrue();
    }

    @Test
    void isAnEighthOfTheHeapForAllEventLoops() {
        expectSize(MemoryBudget.ofHeap(128L * MIB, 2), 8 * MIB);
    }

    @Test
    void hasALeastAndAGreatestBound() {
        expectSize(MemoryBudget.ofHeap(MIB, 1), 2 * MIB);
        expectSize(MemoryBudget.ofHeap(1L << 40, 1), 64 * MIB);
    }

    private static void expectSize(MemoryBudget budget, int bytes) {
        assertThat(budget.of(ONE).draw(bytes + 1)).isFalse();
        assertThat(budget.of(ONE).draw(bytes)).isTrue();
        assertThat(budget.of(OTHER).draw(1)).isFalse();
    }
}
