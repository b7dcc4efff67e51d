package io.flockgate.storage.consul.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.kv.ConsulException;
import org.junit.jupiter.api.Test;

class FenceGuardTest {
    private final FenceGuard guard = new FenceGuard(1_000);

    @Test
    void aGrantRisesAboveAllThatWasSeenBeforeItWasSent() {
        guard.seen(10);
        long before = guard.highest();
        guard.seen(12);

        assertThat(guard.rises(11, before)).isTrue();
        assertThat(guard.whyUnsafe()).isEmpty();
        guard.requireRising();
    }

    @Test
    void nothingIsGrantedWhenTheClusterCountsFromALowerNumber() {
        guard.seen(34_516);

        assertThat(guard.rises(34_470, guard.highest())).isFalse();

        assertThat(guard.whyUnsafe())
                .hasValueSatisfying(reason ->
                        assertThat(reason).contains("--consul-fence-base").contains("35516"));
        assertThatThrownBy(guard::requireRising).isInstanceOf(ConsulException.class);
    }

    @Test
    void aFenceThatAnotherGatewayHasSeenCounts() {
        guard.requireAbove(1_010);
        guard.requireAbove(999);
        assertThat(guard.highest()).isEqualTo(10);
    }

    @Test
    void theSameIndexIsNotARise() {
        guard.seen(5);

        assertThat(guard.rises(5, 5)).isFalse();
    }

    @Test
    void fencesAreComparedWithoutASign() {
        FenceGuard high = new FenceGuard(Long.MAX_VALUE);

        assertThat(high.isAfter(3, high.fence(2))).isTrue();
        assertThat(high.isAfter(2, high.fence(2))).isFalse();
    }
}
