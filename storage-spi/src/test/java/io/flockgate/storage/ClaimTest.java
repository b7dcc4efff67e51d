package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimTest {
    private static final Key KEY = Key.of("k");

    @ParameterizedTest
    @CsvSource({
        "LOCK, 1, 1",
        "LOCK, 1, 9223372036",
        "SEMAPHORE, 1, 5",
        "SEMAPHORE, 9223372036854775807, 5",
    })
    void aLockHasTheLimitOneAndASemaphoreAny(Kind kind, long limit, long leaseSeconds) {
        Claim claim = new Claim(KEY, kind, limit, leaseSeconds, true);
        assertThat(claim.limit()).isEqualTo(limit);
        assertThat(claim.leaseSeconds()).isEqualTo(leaseSeconds);
    }

    @ParameterizedTest
    @CsvSource({
        "LOCK, 2, 5",
        "LOCK, 0, 5",
        "SEMAPHORE, 0, 5",
        "SEMAPHORE, -1, 5",
        "LOCK, 1, 0",
        "LOCK, 1, -1",
        "LOCK, 1, 9223372037",
        "LOCK, 1, 9223372036854775807",
        "LOCK, 1, -9223372036854775808",
    })
    void otherLimitsAndLeasesAreRefused(Kind kind, long limit, long leaseSeconds) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Claim(KEY, kind, limit, leaseSeconds, true));
    }

    @Test
    void theLongestLeaseIsTheLastThatFitsIntoNanoseconds() {
        assertThat(Claim.MAX_SECONDS).isEqualTo(Long.MAX_VALUE / 1_000_000_000L);
    }

    @Test
    void aQueryWantsAtLeastOneKey() {
        assertThat(KeyQuery.all(1).limit()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> KeyQuery.all(0));
    }
}
