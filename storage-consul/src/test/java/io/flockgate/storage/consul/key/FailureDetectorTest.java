package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Entries;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.ConsulException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {
    private final FakeClock clock = new FakeClock();
    private final KeyView view = new Entries().ticket("a-1", Kind.LOCK, 1).view();
    private final QueuedTicket head = view.queue().getFirst();
    private final FailureDetector detector = new FailureDetector(new SystemEnvironment(clock::nanos));

    @Test
    void timeWithoutConsulDoesNotCountForAHead() {
        long since = detector.headUnchangedSince(view, head);
        clock.advance(Duration.ofSeconds(1));
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(since);
        assertThat(detector.hadNoOutageSince(since)).isTrue();
        detector.failed(new ConsulException(
                ConsulException.FailureKind.UNAVAILABLE, StorageException.Effect.NOT_DONE, "on purpose"));
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(clock.nanos());
        assertThat(detector.hadNoOutageSince(since)).isFalse();
    }

    @Test
    void timesStayWhenTheActorRetiresAndGoWithTheKey() {
        long first = detector.headUnchangedSince(view, head);
        clock.advance(Duration.ofSeconds(1));
        detector.retired(Key.of("k"), Entries.PATH.prefix());
        detector.forgetGone(key -> false);
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(first);
        detector.forgetGone(Key.of("k")::equals);
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(clock.nanos());
    }

    @Test
    void anEntryThatIsNotKeptIsTimedAnew() {
        long first = detector.headUnchangedSince(view, head);
        clock.advance(Duration.ofSeconds(1));
        detector.keepOnly(view, Set.of(head.entry().key()));
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(first);
        detector.keepOnly(view, Set.of());
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(clock.nanos());
    }
}
