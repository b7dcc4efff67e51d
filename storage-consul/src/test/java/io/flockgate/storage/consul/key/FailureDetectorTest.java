package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);

    private final FakeClock clock = new FakeClock();
    private final FailureDetector detector = new FailureDetector(new SystemEnvironment(clock::nanos));

    private static KvEntry ticket(String gateway, int number, long index) {
        byte[] mark = new TicketMark(gateway, Kind.LOCK, 1, 0).toBytes();
        return new KvEntry(PATH.ticket(gateway + "-" + number), Flags.NONE, mark, "s", 1, index, index);
    }

    private static KeyView view(KvEntry... entries) {
        return KeyView.of(PATH, new KvList(List.of(entries), 100));
    }

    @Test
    void timeWithoutConsulDoesNotCountForAHead() {
        KeyView view = view(ticket("a", 1, 11));
        var head = view.queue().getFirst();
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
        KeyView view = view(ticket("a", 1, 11));
        var head = view.queue().getFirst();
        long first = detector.headUnchangedSince(view, head);
        clock.advance(Duration.ofSeconds(1));
        detector.retired(Key.of("k"), PATH.prefix());
        detector.forgetGone(key -> false);
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(first);
        detector.forgetGone(Key.of("k")::equals);
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(clock.nanos());
    }

    @Test
    void anEntryThatIsNotKeptIsTimedAnew() {
        KeyView view = view(ticket("a", 1, 11));
        var head = view.queue().getFirst();
        long first = detector.headUnchangedSince(view, head);
        clock.advance(Duration.ofSeconds(1));
        detector.keepOnly(view, Set.of(head.entry().key()));
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(first);
        detector.keepOnly(view, Set.of());
        assertThat(detector.headUnchangedSince(view, head)).isEqualTo(clock.nanos());
    }
}
