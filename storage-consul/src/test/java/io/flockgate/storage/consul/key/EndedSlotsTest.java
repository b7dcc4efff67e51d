package io.flockgate.storage.consul.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeCluster;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environments;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.key.LocalGateway.GatewaySettings;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A slot whose session has ended. */
class EndedSlotsTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);

    private final ConsulApi withoutNodes = new ForwardingConsulApi(new FakeConsul(new FakeCluster())) {
        @Override
        public long nodeIndex(String node) {
            return 0;
        }
    };

    private final EndedSlots ended = new EndedSlots(
            Environments.SYSTEM,
            withoutNodes,
            new FailureDetector(Environments.SYSTEM),
            new LocalGrants(new LocalIndex(), new Capacity(0)),
            new GatewaySettings(
                    "gw", new StorageLimits(0, 0, 0), Duration.ofHours(1), new ConsulConfig(OptionValues.DEFAULTS)));

    /** A semaphore with one slot, whose session has ended. */
    private static KeyView view(String session, long index, HolderMark mark) {
        KvEntry slot = new KvEntry(PATH.contender(session), Flags.SEMAPHORE, mark.toBytes(), null, 0, index, index);
        byte[] document = ("{\"Limit\":1,\"Holders\":[\"" + session + "\"]}").getBytes(UTF_8);
        KvEntry lock = new KvEntry(PATH.lock(), Flags.SEMAPHORE, document, null, 0, 1, index);
        return KeyView.of(PATH, new KvList(List.of(lock, slot), index));
    }

    private long nanosUntilFree(long leaseMillis, long ttlMillis) {
        HolderMark mark =
                HolderMark.of("other", "nonce", 1, leaseMillis).from(new SessionOrigin(null, ttlMillis, true));
        KeyView view = view("session", 10, mark);
        return ended.untilFree(view, view.endedSlots().getFirst());
    }

    /** An older gateway that renews such a grant for longer changes only the lease in the mark. */
    @Test
    void aDetachedGrantIsKeptForTheLongerOfItsLeaseAndItsTtl() {
        assertThat(nanosUntilFree(300_000, 10_000)).isGreaterThan(TimeUnit.SECONDS.toNanos(200));
        assertThat(nanosUntilFree(10_000, 300_000)).isGreaterThan(TimeUnit.SECONDS.toNanos(200));
    }

    @Test
    void aDetachedGrantWithoutALeaseIsKept() {
        assertThat(nanosUntilFree(Long.MAX_VALUE, 10_000)).isGreaterThan(TimeUnit.DAYS.toNanos(300));
    }
}
