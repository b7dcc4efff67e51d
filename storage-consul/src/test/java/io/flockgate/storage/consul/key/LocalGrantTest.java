package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.tck.RecordingClaimant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The times at which a detached grant needs work. */
class LocalGrantTest {
    private static final long START = -5;

    private static LocalGrant detached(long leaseSeconds) {
        HolderMark mark = HolderMark.of("gw", "nonce", 1, TimeUnit.SECONDS.toMillis(leaseSeconds))
                .from(new SessionOrigin(null, TimeUnit.SECONDS.toMillis(leaseSeconds), true));
        return new LocalGrant(
                Key.of("job"),
                new RecordingClaimant(1, true),
                1,
                new PendingGrant(Kind.LOCK, 1, "session", mark, 1),
                START);
    }

    private static long after(long seconds) {
        return START + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Another gateway renews the session too. A due time in the past would be a busy loop. */
    @Test
    void aGrantThatAnotherGatewayRenewsIsDueLaterAsLongAsThereIsNothingToDo() {
        LocalGrant grant = detached(30);
        for (int second = 0; second < 150; second++) {
            if (second % 25 == 0) {
                grant.leaseFrom(after(second), 30);
            }
            assertThat(grant.needsSession(after(second))).isFalse();
            assertThat(grant.due(after(second))).isGreaterThan(after(second));
        }
    }

    @Test
    void aGrantIsDueWhenItsLeaseEnds() {
        assertThat(detached(30).due(after(10))).isEqualTo(after(30));
    }

    @Test
    void aGrantWithALeaseLongerThanItsSessionIsDueAtHalfTheSession() {
        LocalGrant grant = detached(200_000);
        assertThat(grant.due(after(10))).isEqualTo(after(43_200));
        assertThat(grant.needsSession(after(43_199))).isFalse();
        assertThat(grant.needsSession(after(43_200))).isTrue();
        assertThat(grant.due(after(43_300))).isEqualTo(after(43_200));
    }
}
