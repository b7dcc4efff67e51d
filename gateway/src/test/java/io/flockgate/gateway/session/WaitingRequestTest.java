package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitingRequestTest {
    @ParameterizedTest
    @CsvSource({"1, 50", "10, 500", "33, 500", "9223372036, 500"})
    void aGrantIsFreshForATwentiethOfItsLeaseAndHalfASecondAtMost(long leaseSeconds, long millis) {
        Future<ClaimOutcome> unanswered = Future.failedFuture("never read");
        WaitingRequest wait = new WaitingRequest(outcome -> {}, leaseSeconds, 0, unanswered);

        assertThat(wait.isFresh(new MadeAt(7), 7 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isTrue();
        assertThat(wait.isFresh(new MadeAt(7), 8 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isFalse();
    }

    private record MadeAt(long grantedAtNanos) implements Grant {
        @Override
        public Key key() {
            return Key.of("k");
        }

        @Override
        public Kind kind() {
            return Kind.LOCK;
        }

        @Override
        public long fence() {
            return 1;
        }

        @Override
        public long salt() {
            return 1;
        }
    }
}
