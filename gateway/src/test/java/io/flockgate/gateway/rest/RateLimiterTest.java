package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.testsupport.LogLines;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Near the overflow of the clock, which may begin anywhere. */
    private long now = Long.MAX_VALUE - SECOND / 2;

    private static RateLimiter limiter(long rate, long burst) {
        return limiter(rate, burst, () -> 0);
    }

    private static RateLimiter limiter(long rate, long burst, LongSupplier clock) {
        return new RateLimiter(rate, burst, new Gate(Map.of(Resource.RATE, new Gate.Caps(0, rate)), clock));
    }

    private int admitted(RateLimiter limiter, String address, int tries) {
        int admitted = 0;
        for (int i = 0; i < tries; i++) {
            admitted += limiter.admits(address, now) ? 1 : 0;
        }
        return admitted;
    }

    @Test
    @ResourceLock("log of Gate")
    void aRefusalIsALineOfTheLogOnceAMinute() {
        RateLimiter limiter = limiter(4, 2, () -> now);
        try (LogLines lines = new LogLines(Gate.class)) {
            assertThat(admitted(limiter, A, 3)).isEqualTo(2);
            assertThat(admitted(limiter, B, 5)).isEqualTo(2);
            now += 60 * SECOND;
            assertThat(admitted(limiter, B, 3)).isEqualTo(2);
            assertThat(lines.all())
                    .containsExactly(
                            "WARN a cap is reached, refusing requests flag=--http-rate-limit-per-ip max=4 refused=1 peer=192.0.2.1",
                            "WARN a cap is reached, refusing requests flag=--http-rate-limit-per-ip max=4 refused=4 peer=192.0.2.2");
        }
    }

    @Nested
    class ABucket {
        @Test
        void holdsABurstWhenItsAddressIsNew() {
            RateLimiter limiter = limiter(2, 5);
            assertThat(admitted(limiter, A, 20)).isEqualTo(5);
        }

        @Test
        void isItsAddressesOwn() {
            RateLimiter limiter = limiter(1, 3);
            assertThat(admitted(limiter, A, 20)).isEqualTo(3);
            assertThat(admitted(limiter, B, 20)).isEqualTo(3);
        }

        @Test
        void fillsEvenlyAndNotByTheSecond() {
            RateLimiter limiter = limiter(4, 1);
            assertThat(admitted(limiter, A, 2)).isOne();
            for (int i = 0; i < 12; i++) {
                now += SECOND / 4 - 1;
                assertThat(limiter.admits(A, now)).isFalse();
                now += 1;
                assertThat(admitted(limiter, A, 2)).isOne();
            }
        }

        @Test
        void neverHoldsMoreThanABurst() {
            RateLimiter limiter = limiter(1000, 7);
            assertThat(limiter.admits(A, now)).isTrue();
            now += 300 * SECOND;
            assertThat(admitted(limiter, A, 100)).isEqualTo(7);
        }

        @Test
        void losesNothingToRequestsThatAreRefused() {
            RateLimiter limiter = limiter(1, 1);
            assertThat(limiter.admits(A, now)).isTrue();
            for (int i = 0; i < 8; i++) {
                assertThat(limiter.admits(A, now)).isFalse();
                now += SECOND / 8;
            }
            assertThat(admitted(limiter, A, 2)).isOne();
        }

        @Test
        void isNotFilledTwiceForTheSameTimeByClocksThatDisagree() {
            RateLimiter limiter = limiter(10, 1);
            assertThat(limiter.admits(A, now)).isTrue();
            for (int i = 0; i < 100; i++) {
                assertThat(limiter.admits(A, now - SECOND / 5)).isFalse();
                assertThat(limiter.admits(A, now)).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100})
    void aRateOfZeroLimitsNothingAndRemembersNobody(long burst) {
        RateLimiter limiter = limiter(0, burst);
        assertThat(admitted(limiter, A, 1000)).isEqualTo(1000);
        assertThat(limiter.buckets()).isZero();
    }

    @Nested
    class ASweep {
        @Test
        void forgetsWhoHasNotBeenHeardOfForMoreThanTenMinutes() {
            RateLimiter limiter = limiter(1, 1);
            assertThat(limiter.admits(A, now)).isTrue();
            now += 1;
            assertThat(limiter.admits(B, now)).isTrue();
            now += 600 * SECOND - 1;
            limiter.sweep(now);
            assertThat(limiter.buckets()).isEqualTo(2);
            now += 1;
            limiter.sweep(now);
            assertThat(limiter.buckets()).isOne();
            now += 1;
            limiter.sweep(now);
            assertThat(limiter.buckets()).isZero();
        }

        @Test
        void doesNotForgetWhoCameFirstAndHasComeAgain() {
            RateLimiter limiter = limiter(1, 1);
            assertThat(limiter.admits(A, now)).isTrue();
            assertThat(limiter.admits(B, now)).isTrue();
            now += 400 * SECOND;
            assertThat(limiter.admits(A, now)).isTrue();
            now += 400 * SECOND;
            limiter.sweep(now);
            assertThat(limiter.buckets()).isOne();
            now += 100 * SECOND;
            limiter.sweep(now);
            assertThat(limiter.buckets()).isOne();
        }
    }

    @Test
    void theLongestIdleOfAHundredThousandBucketsMakesRoom() {
        RateLimiter limiter = limiter(1, 1);
        for (int i = 0; i < 100_000; i++) {
            assertThat(limiter.admits("a" + i, now)).isTrue();
        }
        assertThat(limiter.admits("a0", now)).isFalse();
        assertThat(limiter.admits("one more", now)).isTrue();
        assertThat(limiter.buckets()).isEqualTo(100_000);
        assertThat(limiter.admits("a0", now)).isFalse();
        assertThat(limiter.admits("one more", now)).isFalse();
        assertThat(limiter.admits("a1", now)).isTrue();
        assertThat(limiter.buckets()).isEqualTo(100_000);
    }
}
