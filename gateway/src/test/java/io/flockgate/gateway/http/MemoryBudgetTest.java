package io.flockgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
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
}
