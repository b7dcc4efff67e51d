package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Cap;
import io.flockgate.testsupport.LogLines;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimiterTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Near the overflow of the clock, which may begin anywhere. */
    private long now = Long.MAX_VALUE - SECOND / 2;

    private int admitted(RateLimiter limiter, String address, int tries) {
        int admitted = 0;
        for (int i = 0; i < tries; i++) {
            admitted += limiter.admits(address, now) ? 1 : 0;
        }
        return admitted;
    }

    @Test
    @ResourceLock("log of Cap")
    void aRefusalIsALineOfTheLogOnceAMinute() {
        RateLimiter limiter = new RateLimiter(4, 2);
        try (LogLines lines = new LogLines(Cap.class)) {
            assertThat(admitted(limiter, A, 2)).isEqualTo(2);
            assertThat(lines.all()).isEmpty();
            assertThat(admitted(limiter, A, 1)).isZero();
            assertThat(admitted(limiter, B, 5)).isEqualTo(2);
            assertThat(lines.all())
                    .containsExactly(
                            "WARN a cap is reached, refusing requests flag=--http-rate-limit-per-ip max=4 refused=1 peer=192.0.2.1");
        }
    }

    /**
     * Requests, {@code A20=5} for twenty of A of which five are admitted, and milliseconds that
     * pass between them.
     */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # a bucket holds a burst when its address is new, and is its address's own
            2, 5, A20=5 B20=5
            # it fills evenly, and not by the second
            4, 1, A2=1 +249 A1=0 +1 A2=1 +249 A1=0 +1 A2=1 +249 A1=0 +1 A2=1
            # it never holds more than a burst
            1000, 7, A1=1 +300000 A100=7
            # it loses nothing to requests that are refused
            1, 1, A1=1 +125 A1=0 +125 A1=0 +125 A1=0 +125 A1=0 +125 A1=0 +125 A1=0 +125 A1=0 +125 A2=1
            # it is not filled twice for the same time by clocks that disagree
            10, 1, A1=1 -200 A1=0 +200 A1=0 -200 A1=0 +200 A1=0
            """)
    void aBucketAdmitsABurstAndWhatFillsItSince(long rate, long burst, String requests) {
        RateLimiter limiter = new RateLimiter(rate, burst);
        for (String step : requests.split(" ", -1)) {
            if (step.startsWith("+") || step.startsWith("-")) {
                now += TimeUnit.MILLISECONDS.toNanos(Long.parseLong(step));
            } else {
                String[] counts = step.substring(1).split("=", -1);
                int admitted = admitted(limiter, step.substring(0, 1), Integer.parseInt(counts[0]));
                assertThat(admitted).as(requests).isEqualTo(Integer.parseInt(counts[1]));
            }
        }
    }

    @Test
    void aRateOfZeroLimitsNothingAndRemembersNobody() {
        RateLimiter limiter = new RateLimiter(0, 1);
        assertThat(admitted(limiter, A, 1000)).isEqualTo(1000);
        assertThat(limiter.buckets()).isZero();
    }

    @Test
    void theLongestIdleOfTenThousandBucketsMakesRoom() {
        RateLimiter limiter = new RateLimiter(1, 1);
        for (int i = 0; i < 10_000; i++) {
            assertThat(limiter.admits("a" + i, now)).isTrue();
        }
        assertThat(limiter.admits("a0", now)).isFalse();
        assertThat(limiter.admits("one more", now)).isTrue();
        assertThat(limiter.buckets()).isEqualTo(10_000);
        assertThat(limiter.admits("a0", now)).isFalse();
        assertThat(limiter.admits("one more", now)).isFalse();
        assertThat(limiter.admits("a1", now)).isTrue();
        assertThat(limiter.buckets()).isEqualTo(10_000);
    }
}
