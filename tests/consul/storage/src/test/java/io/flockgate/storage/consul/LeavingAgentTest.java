package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A gateway's real client agent leaves its cluster, or only restarts. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class LeavingAgentTest {
    private final ConsulAgent server = ConsulAgent.start();
    private final Site site = new Site();

    @AfterEach
    void close() {
        site.close();
        server.close();
    }

    private LockStorage gateway(ConsulAgent agent) {
        return site.gateway(Map.of("consul-addr", agent.address().toString()));
    }

    private ConsulAgent client(boolean leaves) {
        return server.client(AgentOptions.plain().withConfig("{\"leave_on_terminate\": " + leaves + "}"));
    }

    @Test
    void aLockThatEndsWithItsAgentIsGrantedAfterItsHolderHasLostIt() {
        Claim lock = Site.lock("job");
        Claim slot = Site.semaphore("pool", 1);
        try (ConsulAgent beside = client(true)) {
            LockStorage losing = gateway(beside);
            LockStorage other = gateway(server);
            Held held = site.hold(losing, lock);
            Held member = site.hold(losing, slot);
            Waiting waiter = site.queue(other, lock);
            Waiting next = site.queue(other, slot);

            beside.terminate();

            Held now = waiter.awaitGrant();
            assertThat(held.ending()).isEqualTo(Ending.LOST);
            Held then = next.awaitGrant();
            assertThat(member.ending()).isEqualTo(Ending.LOST);
            assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(then.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void aLockOutlivesTheRestartOfAnAgentThatDoesNotLeave() {
        try (ConsulAgent beside = client(false)) {
            // The restart may take long.
            LockStorage gateway =
                    site.gateway(Map.of("consul-addr", beside.address().toString(), "consul-session-ttl", "60"));
            Held held = site.hold(gateway, Site.lock("job"));

            beside.restart();

            assertThat(held.renew()).isEqualTo(RenewOutcome.RENEWED);
            assertThat(held.ending()).isNull();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }
}
