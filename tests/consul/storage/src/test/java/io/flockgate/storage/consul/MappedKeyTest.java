package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code --consul-map}: keys at prefixes shared with other software. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class MappedKeyTest {
    private final Site site = new Site();
    private final Operator operator = site.operator();
    private final String place = "mapped-" + UUID.randomUUID() + "/service";
    private final Map<String, String> mapping = Map.of("consul-map", "job=" + place, "consul-holders", "map");

    @AfterEach
    void close() {
        site.close();
        operator.deleteTree(place + "/");
    }

    @Test
    void aMappedKeyLivesWhereTheOperatorSays() {
        LockStorage gateway = site.gateway(mapping);
        Held held = site.hold(gateway, semaphore("job", 2));
        assertThat(operator.list(site.base() + "job/")).isEmpty();
        assertThat(operator.get(place + "/.lock").value()).startsWith("{\"Limit\":2,\"Holders\":{\"");
        assertThat(Await.result(gateway.inspect(new KeyQuery(new byte[0], null, 10)))
                        .keys())
                .extracting(KeySummary::key)
                .containsExactly(Key.of("job"));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void gatewaysWithTheSameMapShareTheKey() {
        LockStorage gateway = site.gateway(mapping);
        LockStorage same = site.gateway(mapping);
        Held held = site.hold(gateway, lock("job"));
        Waiting waiting = site.queue(same, lock("job"));
        assertThat(site.tryOnce(same, lock("job"))).isEqualTo(Refusal.BUSY);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The content there may belong to other software. */
    @Test
    void anIdleMappedKeyIsNotTidiedAway() {
        String before = "{\"Limit\":2,\"Holders\":{},\"note\":\"db\"}";
        operator.put(place + "/.lock", SEMAPHORE, before);
        operator.put(place + "/config", "7", "x");
        LockStorage gateway = site.gateway(mapping, Duration.ofMillis(200));
        Held held = site.hold(gateway, semaphore("job", 2));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        // Any key forgotten now has been idle for a shorter time.
        Held later = site.hold(gateway, lock("later"));
        assertThat(later.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "a later key is forgotten",
                () -> operator.list(site.base() + "later/").isEmpty());
        site.awaitRest(gateway);
        assertThat(operator.list(place))
                .extracting(Entry::key, Entry::value)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(place + "/.lock", before),
                        org.assertj.core.groups.Tuple.tuple(place + "/config", "x"));
    }

    @Test
    void aMappedKeyIsWatchedWhileHeldSoThatItsEndIsSeenSoon() {
        Held held = site.hold(site.gateway(mapping), lock("job"));
        operator.delete(place + "/.lock");
        assertThat(held.awaitEnd()).isEqualTo(io.flockgate.storage.Ending.LOST);
    }
}
