package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The additions of the stand-in to Consul: a clock that tests move, and faults. */
class FakeConsulTest {
    private static final List<KvOp> CREATE = List.of(new KvOp.Cas("k", 0, new byte[] {1}, 0));
    private static final Duration TTL = Duration.ofSeconds(10);

    private final FakeClock clock = new FakeClock();
    private final FakeConsul consul = new FakeConsul(clock);

    @Test
    void sessionsFollowTheClock() {
        String id = consul.createSession("n", TTL);
        clock.advance(Duration.ofSeconds(19));
        assertThat(consul.renewSession(id)).isTrue();
        clock.advance(Duration.ofSeconds(19));
        assertThat(consul.sessions()).containsExactly(id);
        clock.advance(Duration.ofSeconds(1));
        assertThat(consul.renewSession(id)).isFalse();
        assertThat(consul.sessions()).isEmpty();
    }

    @Test
    void aWatchFollowsTheClock() {
        long index = consul.put("k", 0, new byte[0]).modifyIndex();
        var watch = CompletableFuture.supplyAsync(() -> consul.watch("k", index, Duration.ofSeconds(15)));
        // Moved repeatedly, because the watch may begin late.
        while (!watch.isDone()) {
            clock.advance(Duration.ofSeconds(1));
        }

        assertThat(watch.join().index()).isEqualTo(index);
    }

    @Test
    void aCallThatIsNotDoneHasNoEffect() {
        consul.failNext(Call.TXN, new Fault.Rejected(FailureKind.LIMITED));

        assertThat(consul.txn(CREATE))
                .isInstanceOfSatisfying(
                        TxnOutcome.NotDone.class,
                        outcome -> assertThat(outcome.cause().kind()).isEqualTo(FailureKind.LIMITED));
        assertThat(consul.get("k")).isNull();
        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Committed.class);
    }

    @Test
    void anUnknownCallMayHaveBeenDone() {
        consul.failNext(Call.TXN, new Fault.AppliedUnknown());

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Unknown.class);
        assertThat(consul.get("k")).isNotNull();
    }

    @Test
    void anUnknownCallMayHaveBeenLost() {
        consul.failNext(Call.TXN, new Fault.LostUnknown());

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Unknown.class);
        assertThat(consul.deliverLate()).isZero();
        assertThat(consul.get("k")).isNull();
    }

    @Test
    void anUnknownCallMayBeDoneLater() {
        consul.failNext(Call.TXN, new Fault.AppliedLater());

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Unknown.class);
        assertThat(consul.get("k")).isNull();
        assertThat(consul.deliverLate()).isOne();
        assertThat(consul.get("k")).isNotNull();
    }

    @Test
    void aCallMayBeDoneTwice() {
        List<KvOp> set = List.of(new KvOp.Set("k", 0, new byte[] {1}));
        consul.failNext(Call.TXN, new Fault.Duplicated());

        assertThat(consul.txn(set)).isInstanceOf(TxnOutcome.Committed.class);
        KvEntry other = consul.put("k", 0, new byte[] {2});
        assertThat(consul.deliverLate()).isOne();
        assertThat(consul.get("k")).satisfies(late -> {
            assertThat(late.value()).containsExactly(1);
            assertThat(late.modifyIndex()).isGreaterThan(other.modifyIndex());
        });
    }

    @Test
    void somebodyElseMayComeBetween() {
        consul.failNext(
                Call.TXN,
                new Fault.Before(
                        () -> assertThat(consul.put("k", 0, new byte[0])).isNotNull()));

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Conflict.class);
    }

    @Test
    void aCallMayBeDelayed() {
        consul.failNext(Call.TXN, new Fault.Delayed(Duration.ofSeconds(5)));
        var outcome = CompletableFuture.supplyAsync(() -> consul.txn(CREATE));
        while (!outcome.isDone()) {
            clock.advance(Duration.ofSeconds(1));
        }

        assertThat(outcome.join()).isInstanceOf(TxnOutcome.Committed.class);
    }

    @Test
    void faultsMayDependOnTheCall() {
        consul.setFaults((call, operations) ->
                call == Call.TXN && operations.size() > 1 ? new Fault.LostUnknown() : new Fault.None());

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Committed.class);
        assertThat(consul.txn(List.of(CREATE.getFirst(), CREATE.getFirst()))).isInstanceOf(TxnOutcome.Unknown.class);
    }

    @Test
    void aSessionMayBeMadeWithoutAnybodyKnowing() {
        consul.failNext(Call.CREATE_SESSION, new Fault.AppliedUnknown());

        assertThatThrownBy(() -> assertThat(consul.createSession("n", TTL)).isNull())
                .isInstanceOfSatisfying(
                        ConsulException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
        assertThat(consul.sessions()).hasSize(1);
    }

    @Test
    void oneClientMayBeCutOffWhileOthersGoOn() {
        FakeConsul other = consul.another();
        long index = consul.put("k", 0, new byte[0]).modifyIndex();
        var watch = CompletableFuture.supplyAsync(() -> other.watch("k", index, Duration.ofHours(1)));
        other.setCutOff(true);

        assertThatThrownBy(() -> watch.orTimeout(10, TimeUnit.SECONDS).join())
                .hasCauseInstanceOf(ConsulException.class);
        assertThat(other.txn(CREATE)).isInstanceOf(TxnOutcome.NotDone.class);
        assertThat(consul.list("k", Consistency.DEFAULT).entries()).hasSize(1);
        other.setCutOff(false);
        assertThat(other.list("k", Consistency.DEFAULT).entries()).hasSize(1);
    }

    @Test
    void theIndexOfAPrefixFallsWhenItsDeletionsAreForgotten() {
        KvEntry kept = consul.put("p/a", 0, new byte[0]);
        assertThat(consul.put("p/b", 0, new byte[0])).isNotNull();
        consul.delete("p/b");
        assertThat(consul.list("p/", Consistency.DEFAULT).index()).isGreaterThan(kept.modifyIndex() + 1);
        consul.reapTombstones();

        assertThat(consul.list("p/", Consistency.DEFAULT).index()).isEqualTo(kept.modifyIndex());
    }
}
