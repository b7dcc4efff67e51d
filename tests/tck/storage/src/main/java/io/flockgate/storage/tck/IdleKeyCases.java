package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.Token;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class IdleKeyCases extends StorageCases {
    private static final int IDLE = 3;

    @BeforeEach
    void openWithShortIdleTime() {
        open(Limits.AMPLE.withGcMaxIdle(Duration.ofSeconds(IDLE)));
    }

    @Test
    @DisplayName("stays for a time, is not kept by looking at it, and is forgotten then")
    void isForgotten() {
        release(hold(TestClaims.lock(KEY)));
        passSeconds(IDLE - 1);
        assertThat(exists(KEY)).isTrue();
        assertThat(Await.result(storage().inspect(KeyQuery.all(10))).keys()).hasSize(1);

        passSeconds(2);

        forgotten();
        assertThat(Await.result(storage().inspect(KeyQuery.all(10))).keys()).isEmpty();
    }

    @Test
    @DisplayName("is one whose lease has ended, from that end on")
    void afterExpiry() {
        HeldGrant holding = hold(TestClaims.lasting(IDLE, TestClaims.lock(KEY)));
        passSeconds(IDLE);
        assertThat(holding.awaitEnd()).isEqualTo(Ending.EXPIRED);
        // A storage may list the end a moment after it has reported it.
        awaitTrue("the key is idle since the end of the lease", () -> idleNanos() < TimeUnit.SECONDS.toNanos(IDLE));

        passSeconds(IDLE - 1);

        assertThat(exists(KEY)).isTrue();
        passSeconds(2);
        forgotten();
    }

    @Test
    @DisplayName("is not one that is held, however long")
    void heldIsNotIdle() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        HeldGrant slot = hold(TestClaims.semaphore(OTHER_KEY, 5));

        passSeconds(3 * IDLE);

        expect(KEY, 1, 0);
        expect(OTHER_KEY, 1, 0);
        stillHeld(holding);
        stillHeld(slot);
    }

    @Test
    @DisplayName("is idle from its last release on")
    void fromItsReleaseOn() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        passSeconds(IDLE);
        release(holding);

        passSeconds(IDLE - 1);

        assertThat(exists(KEY)).isTrue();
        passSeconds(2);
        forgotten();
    }

    @Test
    @DisplayName("is idle anew after another claim")
    void anew() {
        release(hold(TestClaims.lock(KEY)));
        passSeconds(IDLE - 1);
        release(hold(TestClaims.lock(KEY)));

        passSeconds(IDLE - 1);

        assertThat(exists(KEY)).isTrue();
        passSeconds(2);
        forgotten();
    }

    @Test
    @DisplayName("is not kept by tokens that it is not held by")
    void notKeptByStaleTokens() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        release(holding);
        passSeconds(IDLE - 1);
        for (Token token : new Token[] {holding.token(), new Token(5, 5), Token.NEVER_ISSUED}) {
            assertThat(Await.result(storage().release(KEY, token))).isEqualTo(ReleaseOutcome.NOT_HELD);
            assertThat(Await.result(storage().renew(KEY, token, 50))).isEqualTo(RenewOutcome.NOT_HELD);
        }

        passSeconds(2);

        forgotten();
    }

    private long idleNanos() {
        return Await.result(storage().inspect(KeyQuery.all(10)))
                .keys()
                .getFirst()
                .idleNanos();
    }

    private void forgotten() {
        awaitForgotten(KEY);
        expect(KEY, 0, 0);
    }
}
