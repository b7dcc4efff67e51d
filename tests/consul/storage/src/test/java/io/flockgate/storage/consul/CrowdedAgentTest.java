package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Several gateways share one agent, which accepts a limited number of connections from their
 * address.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = ConsulAgent.PROMPT_ANSWERS, mode = ResourceAccessMode.READ)
class CrowdedAgentTest {
    private static final int KEYS = 500;
    private static final int GATEWAYS = 3;

    private record Waiting(RecordingClaimant claimant, Future<ClaimOutcome> answer) {}

    /** The default limit of an agent is 200. This one is less than what the gateways request. */
    @Test
    void gatewaysWithHundredsOfWatchedKeysLoseNothing() {
        AgentOptions options = AgentOptions.plain().withConfig("{\"limits\": {\"http_max_conns_per_client\": 100}}");
        try (ConsulAgent agent = ConsulAgent.start(options);
                Site site = new Site("crowd/", agent)) {
            List<LockStorage> gateways =
                    IntStream.range(0, GATEWAYS).mapToObj(i -> site.gateway()).toList();
            List<Held> held = IntStream.range(0, KEYS)
                    .mapToObj(i -> site.hold(gateways.get(i % GATEWAYS), claim(i)))
                    .toList();
            List<Waiting> waiting = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                var claimant = new RecordingClaimant(1_000_000 + i);
                Future<ClaimOutcome> answer = gateways.get((i + 1) % GATEWAYS).claim(claim(i), claimant);
                claimant.claimed(answer);
                waiting.add(new Waiting(claimant, answer));
            }
            waiting.forEach(each -> assertThat(Await.result(each.answer())).isInstanceOf(ClaimOutcome.Queued.class));
            for (int round = 0; round < 2; round++) {
                gateways.forEach(site::awaitRenewals);
            }
            assertThat(held).allSatisfy(each -> assertThat(each.ending()).isNull());
            assertThat(gateways)
                    .allSatisfy(each -> assertThat(each.failureReason()).isEmpty());

            held.forEach(each -> assertThat(each.release()).isEqualTo(ReleaseOutcome.RELEASED));
            waiting.forEach(CrowdedAgentTest::awaitGrant);
        }
    }

    private static Claim claim(int i) {
        return Site.lock("watched" + i);
    }

    private static void awaitGrant(Waiting waiting) {
        var queued = (ClaimOutcome.Queued) Await.result(waiting.answer());
        assertThat(waiting.claimant().awaitGranted(queued.ticket())).isNotNull();
        assertThat(waiting.claimant().faults()).isEmpty();
    }
}
