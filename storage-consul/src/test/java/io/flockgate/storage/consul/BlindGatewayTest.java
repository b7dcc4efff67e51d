package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A gateway that can write to Consul but cannot read all keys, for instance because there are too
 * many.
 */
@Execution(ExecutionMode.CONCURRENT)
class BlindGatewayTest {
    private final StandIns site = new StandIns();
    private final AtomicBoolean tooLarge = new AtomicBoolean();

    @AfterEach
    void close() {
        site.close();
    }

    /** Fails the reads of everything below the base. */
    private final class Large extends ForwardingConsulApi {
        Large(ConsulApi consul) {
            super(consul);
        }

        @Override
        public KvList list(String prefix, Consistency consistency) {
            failIfTooLarge(prefix);
            return super.list(prefix, consistency);
        }

        @Override
        public KvList watch(String prefix, long index, Duration wait) {
            KvList list = super.watch(prefix, index, wait);
            failIfTooLarge(prefix);
            return list;
        }

        private void failIfTooLarge(String prefix) {
            if (tooLarge.get() && prefix.equals(StandIns.BASE)) {
                throw new ConsulException(
                        FailureKind.INVALID, Effect.UNKNOWN, "no answer from Consul: the answer has more than 9 bytes");
            }
        }
    }

    @Test
    void itSaysSoAndWhenItIsOver() {
        Gateway gateway = site.gateway(Map.of("consul-session-ttl", "600"), Large::new);
        tooLarge.set(true);
        Had had = gateway.hold(Site.lock("job"));
        Polling.until("it says so", () -> {
            gateway.jump(Duration.ofSeconds(1));
            return gateway.storage().failureReason().isPresent();
        });
        assertThat(gateway.storage().failureReason().orElseThrow())
                .isEqualTo("the read of all keys below base/ fails. Consul: no answer from Consul: the answer has more"
                        + " than 9 bytes");
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        tooLarge.set(false);
        Polling.until("it is over", () -> gateway.storage().failureReason().isEmpty());
    }
}
