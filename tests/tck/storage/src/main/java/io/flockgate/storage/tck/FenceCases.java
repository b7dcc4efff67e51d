package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class FenceCases extends StorageCases {
    private long last;

    @Test
    @DisplayName("rise over the ends of leases")
    void overExpiries() {
        for (int i = 0; i < 3; i++) {
            HeldGrant holding = hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
            rises(holding);
            harness.passUnnoticed(Duration.ofSeconds(1));
        }
    }

    @Test
    @DisplayName("rise from slot to slot of a semaphore, also when slots come free in another order")
    void overSlots() {
        HeldGrant one = hold(TestClaims.semaphore(KEY, 2));
        HeldGrant other = hold(TestClaims.semaphore(KEY, 2));
        rises(one);
        rises(other);
        for (int i = 0; i < 3; i++) {
            release(other);
            other = hold(TestClaims.semaphore(KEY, 2));
            rises(other);
        }
        release(one);
        rises(hold(TestClaims.semaphore(KEY, 2)));
    }

    @Test
    @DisplayName("rise over the forgetting of the key, though it be another kind after")
    void overForgetting() {
        open(Limits.AMPLE.withGcMaxIdle(Duration.ofSeconds(1)));
        for (int i = 0; i < 3; i++) {
            HeldGrant holding = hold(i == 1 ? TestClaims.semaphore(KEY, 2) : TestClaims.lock(KEY));
            rises(holding);
            release(holding);
            passSeconds(2);
            awaitForgotten(KEY);
            assertThat(tryRelease(holding)).isEqualTo(ReleaseOutcome.NOT_HELD);
        }
    }

    @Test
    @DisplayName("rise from gateway to gateway")
    void overGateways() {
        LockStorage other = peer();
        for (int i = 0; i < 4; i++) {
            HeldGrant holding = hold(i % 2 == 0 ? other : storage(), TestClaims.lock(KEY));
            rises(holding);
            assertThat(Await.result((i % 2 == 0 ? storage() : other).release(KEY, holding.token())))
                    .isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    @DisplayName("rise over releases, and come with a random half that does not repeat")
    void salts() {
        Set<Long> salts = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            HeldGrant holding = hold(TestClaims.lock(KEY));
            rises(holding);
            assertThat(holding.token().fence()).isEqualTo(holding.grant().fence());
            assertThat(holding.token().salt()).isEqualTo(holding.grant().salt());
            salts.add(holding.grant().salt());
            release(holding);
        }

        assertThat(salts).hasSize(50);
    }

    private void rises(HeldGrant holding) {
        assertThat(Long.compareUnsigned(holding.fence(), last))
                .as("fence %s after %s", Long.toUnsignedString(holding.fence()), Long.toUnsignedString(last))
                .isPositive();
        last = holding.fence();
    }
}
