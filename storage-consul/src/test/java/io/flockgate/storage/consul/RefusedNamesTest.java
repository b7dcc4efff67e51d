package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul 1.21.5, which refuses names of keys that versions before and after it accept. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedNamesTest {
    private static final List<String> KEYS =
            List.of("a/b", "a~b", "über", "x:y@z", "..", "a,b", "%2F", "with?query=1&b");

    private final RefusingProxy agent = new RefusingProxy(ConsulAgent.shared().address());
    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
        agent.close();
    }

    private LockStorage gateway() {
        return site.gateway(Map.of("consul-addr", agent.address()));
    }

    @Test
    void everyKeyIsGrantedHandedOverAndShown() {
        LockStorage one = gateway();
        LockStorage other = gateway();
        for (String key : KEYS) {
            for (Claim claim : List.of(Site.lock(key), Site.semaphore(key + "!", 1))) {
                Held held = site.hold(one, claim);
                Waiting waiting = site.queue(other, claim);
                assertThat(Await.result(other.inspect(new KeyDetailQuery(claim.key(), 0, 1))))
                        .isPresent();
                assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
                Held next = waiting.awaitGrant();
                assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
        }
        assertThat(Await.result(one.inspect(new KeyQuery(new byte[0], null, 1000)))
                        .keys())
                .extracting(KeySummary::key)
                .contains(KEYS.stream().map(Key::of).toArray(Key[]::new));
        assertThat(agent.refused()).isZero();
    }

    /** The names of an older cluster are not accepted. The failure comes at once, and says what to do. */
    @Test
    void anOlderClusterIsToldAtOnceHowToChangeItsNames() {
        site.operator()
                .put(
                        site.base() + ".flockgate",
                        "0",
                        "{\"format\":1,\"cluster\":\"a\",\"fence_base\":0,\"holders\":\"list\","
                                + "\"map\":\"e3b0c44298fc1c14\",\"fence_floor\":\"0\",\"checks\":0}");
        LockStorage gateway = gateway();
        assertThat(Await.failure(gateway.claim(Site.lock("a/b"), new RecordingClaimant(1))))
                .hasMessageContaining("refuses the name of a key")
                .hasMessageContaining("--consul-adopt");
        assertThat(agent.refused()).isEqualTo(1);
        assertThat(site.hold(gateway, Site.lock("plain")).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
