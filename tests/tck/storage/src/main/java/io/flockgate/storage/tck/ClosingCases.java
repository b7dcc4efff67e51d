package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class ClosingCases extends StorageCases {
    @Test
    @DisplayName("may be done twice, and makes every later call fail as closed and as not done")
    void laterCallsFail() {
        LockStorage storage = storage();
        HeldGrant holding = hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(TestClaims.lock(KEY));
        Await.done(storage.close());

        Await.closed(storage.claim(TestClaims.lock(OTHER_KEY), claimant()));
        Await.closed(storage.claim(TestClaims.lock(KEY), claimant()));
        Await.closed(storage.claim(TestClaims.notQueueing(TestClaims.lock(KEY)), claimant()));
        Await.closed(storage.leave(waiting.ticket()));
        Await.closed(storage.release(KEY, holding.token()));
        Await.closed(storage.renew(KEY, holding.token(), 5));
        Await.closed(storage.inspect(KeyDetailQuery.first(KEY, 10)));
        Await.closed(storage.inspect(KeyQuery.all(10)));
    }

    @Test
    @DisplayName("notifies the holders whose grants end with the process that these are lost, before it is done")
    void tellsHolders() {
        HeldGrant lock = hold(storage(), TestClaims.lock(KEY), bound());
        HeldGrant slot = hold(storage(), TestClaims.semaphore(OTHER_KEY, 2), bound());
        QueuedClaim waiting = queue(TestClaims.lock(KEY));

        Await.done(storage().close());

        assertThat(lock.ending()).isEqualTo(Ending.LOST);
        assertThat(slot.ending()).isEqualTo(Ending.LOST);
        assertThat(waiting.granted()).isFalse();
    }

    @Test
    @DisplayName("ends what this process holds, so that another gateway's waiter is granted")
    void endsWhatItHolds() {
        LockStorage storage = storage();
        Optional<LockStorage> other = otherGateway();
        hold(TestClaims.lock(KEY));
        QueuedClaim waiting = queue(other.orElse(storage), TestClaims.lock(KEY));

        Await.done(storage.close());

        if (other.isPresent()) {
            assertThat(waiting.awaitGrant().ending()).isNull();
        } else {
            assertThat(waiting.granted()).isFalse();
        }
    }

    @Test
    @DisplayName("answers every call that was under way, one way or the other")
    void callsUnderWay() {
        LockStorage storage = storage();

        List<List<Future<ClaimOutcome>>> calls = Concurrently.run(4, thread -> {
            List<Future<ClaimOutcome>> mine = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                if (thread == 0 && i == 50) {
                    Await.done(storage.close());
                }
                mine.add(storage.claim(
                        TestClaims.lock(Key.of("key-" + thread + "-" + i % 10)), new RecordingClaimant(i)));
            }
            return mine;
        });

        calls.forEach(mine -> mine.forEach(ClosingCases::answered));
    }

    private static void answered(Future<ClaimOutcome> call) {
        Await.completed(call);
        if (call.failed()) {
            assertThat(call.cause()).isInstanceOf(StorageException.class);
        }
    }
}
