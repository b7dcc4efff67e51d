package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final int MIB = 1 << 20;

    @Test
    void someMayUseAPartOnly() {
        MemoryBudget budget = new MemoryBudget(803);
        assertThat(budget.draw(702, 7)).isTrue();
        assertThat(budget.draw(1, 7)).isFalse();
        assertThat(budget.draw(101, 8)).isTrue();
        assertThat(budget.draw(1)).isFalse();
        budget.giveBack(101);
        assertThat(budget.draw(1, 7)).isFalse();
        assertThat(budget.draw(101)).isTrue();
    }

    @Test
    void isAnEighthOfTheHeapForAllEventLoops() {
        MemoryBudget budget = MemoryBudget.ofHeap(128L * MIB, 2);
        assertThat(budget.draw(8 * MIB)).isTrue();
        assertThat(budget.draw(1)).isFalse();
        budget.giveBack(8 * MIB);
        assertThat(budget.draw(8 * MIB + 1)).isFalse();
        assertThat(budget.draw(8 * MIB)).isTrue();
    }

    @Test
    void hasALeastAndAGreatestBound() {
        assertThat(MemoryBudget.ofHeap(MIB, 1).draw(2 * MIB)).isTrue();
        assertThat(MemoryBudget.ofHeap(MIB, 1).draw(2 * MIB + 1)).isFalse();
        assertThat(MemoryBudget.ofHeap(1L << 40, 1).draw(64 * MIB)).isTrue();
        assertThat(MemoryBudget.ofHeap(1L << 40, 1).draw(64 * MIB + 1)).isFalse();
    }
}
