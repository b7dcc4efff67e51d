package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Asked;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
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

    /** The default limit of an agent is 200. This one is less than what the gateways request. */
    @Test
    void gatewaysWithHundredsOfWatchedKeysLoseNothing() {
        AgentOptions options = AgentOptions.plain().withConfig("{\"limits\": {\"http_max_conns_per_client\": 100}}");
        try (ConsulAgent agent = ConsulAgent.start(options);
                RealSite site = new RealSite("crowd/", agent)) {
            List<Gateway> gateways =
                    IntStream.range(0, GATEWAYS).mapToObj(i -> site.gateway()).toList();
            List<Had> held = IntStream.range(0, KEYS)
                    .mapToObj(i -> gateways.get(i % GATEWAYS).hold(claim(i)))
                    .toList();
            // All ask before the first is answered.
            List<Asked> asked = IntStream.range(0, KEYS)
                    .mapToObj(i -> gateways.get((i + 1) % GATEWAYS).asks(claim(i)))
                    .toList();
            List<Queued> waiting = asked.stream().map(Asked::queued).toList();
            for (int round = 0; round < 2; round++) {
                gateways.forEach(each -> each.progress().awaitRenewals());
            }
            assertThat(held).allSatisfy(each -> assertThat(each.ending()).isNull());
            assertThat(gateways)
                    .allSatisfy(
                            each -> assertThat(each.storage().failureReason()).isEmpty());

            held.forEach(each -> assertThat(each.release()).isEqualTo(ReleaseOutcome.RELEASED));
            waiting.forEach(Queued::awaitGrant);
        }
    }

    private static Claim claim(int i) {
        return Site.lock("watched" + i);
    }
}
