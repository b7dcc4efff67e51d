package io.flockgate.roster.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class EndCases extends RosterCases {
    EndCases(RosterHarness harness) {
        super(harness);
    }

    @Test
    @DisplayName("makes every later call fail as closed and as not done")
    void laterCallsFail() {
        RosterStorage storage = storage();
        Await.done(storage.close());

        Await.closed(storage.join(GROUP, new Newcomer("a", ""), ONE));
        Await.closed(storage.leave(GROUP, Departure.of("a")));
        Await.closed(storage.read(GROUP));
        Await.closed(storage.readAll());
        Await.closed(storage.pause(GROUP, ""));
        Await.closed(storage.resume(GROUP));
    }

    @Test
    @DisplayName("comes after a life without failures, and may come twice")
    void twice() {
        joined("a", ONE);
        assertThat(storage().failureReason()).isEmpty();
        Await.done(storage().close());
        Await.done(storage().close());
    }

    @Test
    @DisplayName("answers every call that was under way, one way or the other")
    void callsUnderWay() {
        List<? extends Future<?>> calls = IntStream.range(0, 100)
                .mapToObj(i -> storage().join(GROUP, new Newcomer("n" + i, ""), TWO))
                .toList();
        Await.done(storage().close());

        for (Future<?> call : calls) {
            Await.completed(call);
            if (call.failed()) {
                assertThat(call.cause()).isInstanceOf(StorageException.class);
            }
        }
    }
}
