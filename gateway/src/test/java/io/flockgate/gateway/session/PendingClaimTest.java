package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PendingClaimTest {
    @ParameterizedTest
    @CsvSource({"1, 50", "10, 500", "33, 500", "9223372036, 500"})
    void aGrantIsFreshForATwentiethOfItsLeaseAndHalfASecondAtMost(long leaseSeconds, long millis) {
        Future<ClaimOutcome> unanswered = Future.failedFuture("never read");
        Claim claim = new Claim(Key.of("k"), Kind.LOCK, 1, leaseSeconds, true);
        PendingClaim wait = new PendingClaim(claim, false, 0, unanswered);
        Grant grant = ScriptedStorage.grant("k", 1, 7);

        assertThat(wait.isFresh(grant, 7 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isTrue();
        assertThat(wait.isFresh(grant, 8 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isFalse();
    }
}
