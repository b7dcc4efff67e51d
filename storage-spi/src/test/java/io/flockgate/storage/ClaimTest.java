package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ClaimTest {
    private static final Key KEY = Key.of("k");

    @Test
    void aLockHasTheLimitOne() {
        assertThat(new Claim(KEY, Kind.LOCK, 1, 5, true).limit()).isEqualTo(1);
        assertThatThrownBy(() -> new Claim(KEY, Kind.LOCK, 2, 5, true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Claim(KEY, Kind.LOCK, 0, 5, true)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSemaphoreHasAnyLimitFromOneOn() {
        assertThat(new Claim(KEY, Kind.SEMAPHORE, 1, 5, true).limit()).isEqualTo(1);
        assertThat(new Claim(KEY, Kind.SEMAPHORE, Long.MAX_VALUE, 5, true).limit())
                .isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> new Claim(KEY, Kind.SEMAPHORE, 0, 5, true))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Claim(KEY, Kind.SEMAPHORE, -1, 5, true))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLeaseIsFromOneSecondToTheLongest() {
        assertThat(new Claim(KEY, Kind.LOCK, 1, 1, true).leaseSeconds()).isEqualTo(1);
        assertThat(new Claim(KEY, Kind.LOCK, 1, Claim.MAX_SECONDS, true).leaseSeconds())
                .isEqualTo(Claim.MAX_SECONDS);
        for (long seconds : new long[] {0, -1, Claim.MAX_SECONDS + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> new Claim(KEY, Kind.LOCK, 1, seconds, true))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theLongestLeaseFitsIntoNanoseconds() {
        assertThat(Math.multiplyExact(Claim.MAX_SECONDS, 1_000_000_000L)).isPositive();
        assertThatThrownBy(() -> Math.multiplyExact(Claim.MAX_SECONDS + 1, 1_000_000_000L))
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void aQueryWantsAtLeastOneKey() {
        assertThat(KeyQuery.all(1).limit()).isEqualTo(1);
        assertThatThrownBy(() -> KeyQuery.all(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
