package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults that the stand-in adds to Consul. */
class FakeConsulTest {
    private static final List<KvOp> CREATE = List.of(new KvOp.Cas("k", 0, new byte[] {1}, 0));

    private final FakeCluster cluster = new FakeCluster();
    private final FakeConsul consul = new FakeConsul(cluster);

    static Stream<Arguments> faults() {
        return Stream.of(
                arguments(new Fault.Rejected(FailureKind.LIMITED), TxnOutcome.NotDone.class, false, false),
                arguments(new Fault.AppliedUnknown(), TxnOutcome.Unknown.class, true, true),
                arguments(new Fault.LostUnknown(), TxnOutcome.Unknown.class, false, false),
                arguments(new Fault.AppliedLater(), TxnOutcome.Unknown.class, false, true));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultyCallIsDoneOrNotNowAndLater(
            Fault fault, Class<? extends TxnOutcome> outcome, boolean now, boolean later) {
        consul.failNext(Call.TXN, fault);
        assertThat(consul.txn(CREATE)).isInstanceOf(outcome);
        assertThat(cluster.get("k") != null).isEqualTo(now);
        assertThat(consul.deliverLate()).isEqualTo(now == later ? 0 : 1);
        assertThat(cluster.get("k") != null).isEqualTo(later);
    }

    @Test
    void aCallMayBeDoneTwice() {
        List<KvOp> set = List.of(new KvOp.Set("k", 0, new byte[] {1}));
        consul.failNext(Call.TXN, new Fault.Duplicated());

        assertThat(consul.txn(set)).isInstanceOf(TxnOutcome.Committed.class);
        KvEntry other = cluster.put("k", 0, new byte[] {2});
        assertThat(consul.deliverLate()).isOne();
        assertThat(cluster.get("k")).satisfies(late -> {
            assertThat(late.value()).containsExactly(1);
            assertThat(late.modifyIndex()).isGreaterThan(other.modifyIndex());
        });
    }

    @Test
    void somebodyElseMayComeBetween() {
        consul.failNext(
                Call.TXN,
                new Fault.Before(
                        () -> assertThat(cluster.put("k", 0, new byte[0])).isNotNull()));

        assertThat(consul.txn(CREATE)).isInstanceOf(TxnOutcome.Conflict.class);
    }

    @Test
    void oneClientMayBeCutOffWhileOthersGoOn() {
        FakeConsul other = new FakeConsul(cluster);
        long index = cluster.put("k", 0, new byte[0]).modifyIndex();
        var watch = CompletableFuture.supplyAsync(() -> other.watch("k", index, Duration.ofHours(1)));
        other.setCutOff(true);

        assertThatThrownBy(() -> watch.orTimeout(10, TimeUnit.SECONDS).join())
                .hasCauseInstanceOf(ConsulException.class);
        assertThat(other.txn(CREATE)).isInstanceOf(TxnOutcome.NotDone.class);
        assertThat(consul.list("k", Consistency.DEFAULT).entries()).hasSize(1);
        other.setCutOff(false);
        assertThat(other.list("k", Consistency.DEFAULT).entries()).hasSize(1);
    }
}
