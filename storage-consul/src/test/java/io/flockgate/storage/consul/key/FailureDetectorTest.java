package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
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

    private static KvEntry holder(String gateway, long index) {
        byte[] mark = HolderMark.of(gateway, "n" + index, 1, 30_000).toBytes();
        return new KvEntry(PATH.lock(), Flags.MUTEX, mark, "s", 1, index, index);
    }

    private static KeyView view(KvEntry... entries) {
        return KeyView.of(PATH, new KvList(List.of(entries), 100));
    }

    private boolean isSuspected(String gateway) {
        KeyView head = view(ticket(gateway, 9, 9));
        return detector.headTimeout(head, head.head().orElseThrow()) < FailureDetector.DEAD_HEAD_NANOS;
    }

    @Test
    void aGatewayThatMissedSomethingIsSuspected() {
        KeyView view = view(ticket("a", 1, 11), ticket("a", 2, 12), ticket("b", 1, 13));
        detector.suspect("a", view);
        detector.reviewSuspects(view);
        detector.reviewSuspects(view(ticket("a", 2, 12), ticket("b", 1, 13), ticket("b", 2, 20)));
        assertThat(isSuspected("a")).isTrue();
        assertThat(isSuspected("b")).isFalse();
    }

    /** Of which a suspected gateway has a quarter. */
    @Test
    void aHeadHasTheTimeThatItsTicketStates() {
        byte[] mark = new TicketMark("a", Kind.LOCK, 1, 0).acting(6_500).toBytes();
        KeyView view = view(new KvEntry(PATH.ticket("a-1"), Flags.NONE, mark, "s", 1, 11, 11));
        assertThat(detector.headTimeout(view, view.head().orElseThrow())).isEqualTo(6_500_000_000L);
        detector.suspect("a", view);
        assertThat(detector.headTimeout(view, view.head().orElseThrow())).isEqualTo(1_625_000_000L);
    }

    @Test
    void aNewTicketEndsTheSuspicion() {
        detector.suspect("a", view(ticket("a", 1, 11), ticket("a", 2, 12)));
        detector.reviewSuspects(view(ticket("a", 2, 12), ticket("a", 3, 13)));
        assertThat(isSuspected("a")).isFalse();
    }

    @Test
    void aSlotThatItTakesEndsTheSuspicion() {
        detector.suspect("a", view(ticket("a", 1, 11), ticket("a", 2, 12)));
        detector.reviewSuspects(view(ticket("a", 2, 12), holder("a", 13)));
        assertThat(isSuspected("a")).isFalse();
    }

    @Test
    void aSlotThatItLostDoesNotEndTheSuspicion() {
        detector.suspect("a", view(ticket("a", 1, 11), holder("a", 12)));
        detector.reviewSuspects(view(ticket("a", 1, 11), holder("b", 13)));
        assertThat(isSuspected("a")).isTrue();
    }

    @Test
    void theSuspicionEndsWithTheLastTicket() {
        detector.suspect("a", view(ticket("a", 1, 11)));
        detector.reviewSuspects(view(ticket("b", 1, 12)));
        assertThat(isSuspected("a")).isFalse();
    }

    @Test
    void theSuspicionEndsWhenIndexesBeginAnew() {
        detector.suspect("a", view(ticket("a", 1, 11)));
        detector.indexesRestarted(PATH.prefix());
        assertThat(isSuspected("a")).isFalse();
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
