package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An agent, or a proxy in front of it, that refuses the read of all keys, or everything. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class RefusedReadTest {
    private final RealSite site = new RealSite();
    private final AtomicReference<@Nullable Reply> ofReads = new AtomicReference<>();
    private final AtomicReference<@Nullable Reply> ofAll = new AtomicReference<>();
    private final AtomicInteger renewals = new AtomicInteger();
    private final FaultyHttp agent =
            FaultyHttp.to(ConsulAgent.shared().address()).rule(this::refusal);

    @AfterEach
    void close() {
        ofReads.set(null);
        ofAll.set(null);
        site.close();
        agent.close();
    }

    private @Nullable Reply refusal(ReceivedRequest request) {
        renewals.addAndGet(request.path().startsWith("/v1/session/renew/") ? 1 : 0);
        return request.path().equals("/v1/kv/" + site.base()) ? ofReads.get() : ofAll.get();
    }

    private Gateway gateway() {
        return site.gateway(Map.of("consul-addr", agent.uri().toString(), "consul-session-ttl", "600"));
    }

    private void awaitReady(Gateway gateway) {
        ofReads.set(null);
        ofAll.set(null);
        Polling.until("it is over", () -> gateway.storage().failureReason().isEmpty());
    }

    /**
     * Waits for two requests, because the gateway has recorded the first refusal when it sends the
     * second request.
     */
    private static void awaitTwoMore(IntSupplier requests) {
        int before = requests.getAsInt();
        Polling.until("it has been refused", () -> requests.getAsInt() >= before + 2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            413 | body too large | too large for Consul, or for a proxy in front of it: Consul answered 413: body too large
            429 | rate limit exceeded | too many requests or connections for Consul (see limits in its configuration): Consul answered 429: rate limit exceeded
            """)
    void theReadOfAllKeysIsRefused(int status, String words, String meaning) {
        Gateway gateway = gateway();
        ofReads.set(Reply.status(status, words));
        // Wakes the waiting blocking read.
        Had held = gateway.hold(Site.lock("job"));
        awaitTwoMore(agent::intercepted);
        assertThat(gateway.storage().failureReason()).isEmpty();

        gateway.jump(Duration.ofSeconds(20));
        assertThat(gateway.storage().failureReason())
                .contains("the read of all keys below " + site.base() + " fails. Consul: " + meaning);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        awaitReady(gateway);
    }

    /** The answer of an agent of Consul 1.8.7 that has joined no server. */
    @Test
    void theAgentHasNoServers() {
        Gateway gateway = gateway();
        ofAll.set(Reply.status(500, "No known Consul servers"));
        // The next renewal is due.
        gateway.jump(Duration.ofSeconds(200));
        awaitTwoMore(renewals::get);
        gateway.jump(Duration.ofSeconds(200));

        assertThat(gateway.storage().failureReason())
                .contains("Consul: Consul's agent has joined no server of its cluster (see its retry_join):"
                        + " Consul answered 500: No known Consul servers");
        awaitReady(gateway);
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
