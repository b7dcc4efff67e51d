package io.flockgate.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BudgetTest {
    private static final int FREE = Budget.FREE_BYTES;

    private final Budget budget = new Budget(800);
    private final Budget.Share share = budget.share();
    private final Budget.Share other = budget.share();

    @Test
    void theFirstBytesOfEachAreFree() {
        assertThat(share.keep(FREE, false)).isTrue();
        assertThat(budget.used()).isZero();
        assertThat(share.keep(FREE + 1, false)).isTrue();
        assertThat(budget.used()).isEqualTo(1);
    }

    @Test
    void whatExceedsTheBudgetIsRefusedAndChangesNothing() {
        assertThat(share.keep(FREE + 500, false)).isTrue();
        assertThat(other.keep(FREE + 201, false)).isFalse();
        assertThat(budget.used()).isEqualTo(500);
        assertThat(other.keep(FREE + 200, false)).isTrue();
    }

    @Test
    void anEighthIsForOperators() {
        assertThat(share.keep(FREE + 700, false)).isTrue();
        assertThat(other.keep(FREE + 1, false)).isFalse();
        assertThat(other.keep(FREE + 100, true)).isTrue();
        assertThat(other.keep(FREE + 101, true)).isFalse();
    }

    @Test
    void lessMakesRoom() {
        assertThat(share.keep(FREE + 700, false)).isTrue();
        assertThat(share.keep(FREE + 100, false)).isTrue();
        assertThat(budget.used()).isEqualTo(100);
        share.clear();
        assertThat(budget.used()).isZero();
        share.clear();
        assertThat(budget.used()).isZero();
    }

    @Test
    void lessIsKeptEvenIfTheReserveIsInUse() {
        assertThat(share.keep(FREE + 800, true)).isTrue();
        assertThat(share.keep(FREE + 750, false)).isTrue();
        assertThat(budget.used()).isEqualTo(750);
    }

    @Test
    void isAQuarterOfTheHeap() {
        Budget.Share whole = Budget.ofHeap(4_000).share();
        assertThat(whole.keep(FREE + 1_001, true)).isFalse();
        assertThat(whole.keep(FREE + 1_000, true)).isTrue();
    }
}
