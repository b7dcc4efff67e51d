package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The calls that cost an entry in Consul's log. No other test uses this Consul. */
@Tag("consul")
class ConsulLogTest extends ConsulApiContract {
    private static ConsulAgent agent;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start();
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    @Override
    ConsulApi connect() {
        return EcwidConsulContractTest.client(agent);
    }

    @Override
    long raftIndex() {
        return agent.raftIndex();
    }

    @Test
    void aTransactionWithAnOperationWithoutAKeyCostsNoEntryInTheLog() {
        List<KvOp> operations = List.of(set(base + "k", "v"), set("", ""));
        assertThat(entriesOf(() -> assertThat(api.txn(operations)).isInstanceOfSatisfying(NotDone.class, refused -> {
                    assertThat(refused.cause().kind()).isEqualTo(FailureKind.INVALID);
                    assertThat(refused.cause().effect()).isEqualTo(Effect.NOT_DONE);
                })))
                .isZero();
        assertThat(read(base)).isEmpty();
    }

    @Test
    void aTransactionIsOneEntryOfTheLogAlsoWhenItConflicts() {
        create(base + "k", "x");

        assertThat(entriesOf(() -> done(set(base + "a", "" + Math.random()), set(base + "b", "x"))))
                .isOne();
        assertThat(entriesOf(() -> conflict(new KvOp.Cas(base + "k", 0, bytes("y"), 0))))
                .isOne();
    }

    @Test
    void whatOnlyReadsIsNoEntryOfTheLog() {
        String session = session();

        assertThat(entriesOf(() -> done(new KvOp.CheckNotExists(base + "k"), new KvOp.GetTree(base))))
                .isZero();
        assertThat(entriesOf(() -> conflict(new KvOp.CheckIndex(base + "k", 5))))
                .isZero();
        assertThat(entriesOf(() -> read(base))).isZero();
        assertThat(entriesOf(() -> assertThat(api.renewSession(session)).isTrue()))
                .isZero();
    }

    /**
     * The entries of one call, averaged over enough calls that Consul's own entries do not count.
     * Those of ended sessions may fall into one round.
     */
    private long entriesOf(Runnable call) {
        return Math.min(entriesOfARound(call), entriesOfARound(call));
    }

    private long entriesOfARound(Runnable call) {
        long before = raftIndex();
        for (int i = 0; i < 20; i++) {
            call.run();
        }
        return Math.round((raftIndex() - before) / 20.0);
    }
}
