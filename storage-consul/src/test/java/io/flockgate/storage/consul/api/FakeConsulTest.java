package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.util.List;
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
}
