package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * An agent that mistakenly joins another cluster, where other gateways work, and is brought back.
 */
@Execution(ExecutionMode.CONCURRENT)
class MovedAgentTest {
    /**
     * The wait of a read elsewhere, which ends soon after the agent is back, as the restart of a
     * real agent would end it.
     */
    private static final Duration WAIT_ELSEWHERE = Duration.ofMillis(500);

    private final StandIns site = new StandIns();
    private final StandIns elsewhere = new StandIns();
    private volatile boolean moved;

    @AfterEach
    void close() {
        moved = false;
        site.close();
        elsewhere.close();
    }

    private final class Moving extends ForwardingConsulApi {
        private final ConsulApi other = elsewhere.consul().another();

        Moving(ConsulApi consul) {
            super(consul);
        }

        @Override
        public KvList list(String prefix, Consistency consistency) {
            return moved ? other.list(prefix, consistency) : super.list(prefix, consistency);
        }

        /** If the agent has moved during the read, it has been restarted. */
        @Override
        public KvList watch(String prefix, long index, Duration wait) {
            return moved
                    ? answered(other.watch(prefix, index, WAIT_ELSEWHERE), true)
                    : answered(super.watch(prefix, index, wait), false);
        }

        @Override
        public SessionRead watchSession(String id, long index, Duration wait) {
            return moved
                    ? answered(other.watchSession(id, index, WAIT_ELSEWHERE), true)
                    : answered(super.watchSession(id, index, wait), false);
        }

        private <T> T answered(T answer, boolean wasMoved) {
            if (moved != wasMoved) {
                throw new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "connection reset");
            }
            return answer;
        }

        @Override
        public TxnOutcome txn(List<KvOp> operations) {
            return moved ? other.txn(operations) : super.txn(operations);
        }

        @Override
        public String createSession(String name, Duration ttl) {
            return moved ? other.createSession(name, ttl) : super.createSession(name, ttl);
        }

        @Override
        public boolean renewSession(String id) {
            return moved ? other.renewSession(id) : super.renewSession(id);
        }
    }

    @Test
    void itSaysSoAndGoesOnWhenTheAgentIsBack() {
        Gateway gateway = site.gateway(Map.of("consul-session-ttl", "600"), Moving::new);
        Gateway theirs = elsewhere.gateway(600);
        while (elsewhere.consul().raftIndex() < site.consul().raftIndex() + 100) {
            elsewhere.consul().put("other/entry", elsewhere.consul().raftIndex(), new byte[0]);
        }
        moved = true;
        // Ends the waiting reads.
        site.consul().put(StandIns.BASE + "stir", 0, new byte[0]);
        Polling.until(
                "it says so", () -> gateway.storage().failureReason().orElse("").contains("is another Consul"));
        assertThat(gateway.storage().failureReason().orElseThrow())
                .contains("If the agent has joined another cluster, let it join its own again.");

        moved = false;
        Polling.until("it goes on", () -> gateway.storage().failureReason().isEmpty());
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(theirs.storage().failureReason()).isEmpty();
    }
}
