package io.flockgate.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul, its leader or a gateway fails or is stopped. The campaign has the rest. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class FailureTest {
    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    @Test
    void aWaitOutlivesTheDeathOfConsulsLeader() throws Exception {
        var consul = bed.cluster("{\"autopilot\": {\"cleanup_dead_servers\": false}}");
        List<ConsulAgent> followers = consul.followers();
        GatewayProcess one = bed.gateway(followers.get(0).address());
        GatewayProcess other = bed.gateway(followers.get(1).address());
        LineClient holder = bed.client(one);
        HeldGrant held = holder.lock("job", 0, 600);
        var waiting = bed.client(other).lockLater("job", 60, 600);
        holder.awaitWaiters("job", 1);
        consul.leader().kill();
        assertThat(consul.awaitLeader()).isIn(followers);
        assertThat(waiting).isNotDone();
        assertThat(holder.renew(held, 600)).isEqualTo("ok 600");
        holder.release(held);
        assertThat(waiting.join().isAfter(held)).isTrue();
    }

    @Test
    void withoutConsulAGatewayStartsAndGrantsNothingAndHealsByItself() throws Exception {
        var consul = bed.durableConsul();
        consul.kill();
        GatewayProcess gateway = bed.gateway(consul.address());
        LineClient client = bed.client(gateway);
        assertThat(client.ask("ping", "_", "_")).isEqualTo("ok");
        refuses(gateway, client);
        consul.restart();
        gateway.awaitReady(200);
        HeldGrant first = client.lock("job", 10, 600);
        client.release(first);

        consul.pause();
        refuses(gateway, client);
        consul.resume();
        gateway.awaitReady(200);
        assertThat(client.lock("job", 10, 600).isAfter(first)).isTrue();
    }

    @Test
    void aLossOfDataStopsEveryGatewayAndIsLoggedOnceAlthoughEachAttemptFindsIt() throws Exception {
        var consul = bed.consul();
        AtomicInteger checks = new AtomicInteger();
        HeldGrant last;
        GatewayProcess idle = bed.gateway(consul.address());
        try (FaultyLink link = FaultyLink.to(consul.address()).change(bytes -> counted(bytes, checks))) {
            GatewayProcess gateway = bed.gateway(link.uri("http"));
            LineClient client = bed.client(gateway);
            for (int i = 0; i < 200; i++) {
                client.release(client.lock("job"));
            }
            last = client.lock("job");
            consul.restart();
            String loss = gateway.awaitLog("level=ERROR msg=\"Consul has lost").group();
            int before = checks.get();
            Polling.until("more attempts to have a session", () -> checks.get() > before + 2);
            assertThat(gateway.stop()).isZero();
            assertThat(gateway.err().split(loss, -1)).hasSize(1 + 1);
        }
        assertThat(idle.awaitReady(503).body()).contains("delete the record");
        assertThat(idle.stop()).isZero();
        HttpCall.ask(consul.address(), "DELETE", "/v1/kv/flockgate/.flockgate", "");
        GatewayProcess above = bed.gateway(consul.address(), "--consul-fence-base=" + last.fence());
        assertThat(bed.client(above).lock("job", 10, 60).isAfter(last)).isTrue();
    }

    /** Counts the reads of the record of the cluster. */
    private static byte[] counted(byte[] request, AtomicInteger reads) {
        if (new String(request, ISO_8859_1).contains("GET /v1/kv/flockgate/.flockgate?")) {
            reads.incrementAndGet();
        }
        return request;
    }

    private static void refuses(GatewayProcess gateway, LineClient client) throws Exception {
        assertThat(client.ask("l", "job", "2 600")).startsWith("error");
        assertThat(gateway.awaitReady(503).body()).contains("Consul");
    }

    @Test
    void aPlannedRestartCostsTheClientsOfThatGatewayOnly() throws IOException, InterruptedException {
        var consul = bed.consul();
        GatewayProcess stopping = bed.gateway(consul.address());
        GatewayProcess staying = bed.gateway(consul.address());
        LineClient keeper = bed.client(staying);
        HeldGrant kept = keeper.lock("kept", 0, 600);
        HeldGrant held = bed.client(stopping).lock("job", 0, 300);
        CompletableFuture<HeldGrant> nextOfHeld = bed.client(staying).lockLater("job", 60, 60);
        // The gateway that stops has seen the waiter of the other one.
        bed.client(stopping).awaitWaiters("job", 1);
        LineClient waiter = bed.client(stopping);
        waiter.send(LineClient.frame("l", "kept", "60 600"));
        keeper.awaitWaiters("kept", 1);
        CompletableFuture<HeldGrant> next = bed.client(staying).lockLater("kept", 60, 600);
        keeper.awaitWaiters("kept", 2);

        long asked = System.nanoTime();
        assertThat(stopping.stop()).isZero();
        assertThat(nextOfHeld.join().isAfter(held)).isTrue();
        // A second for clients to finish; a session left to expire would take 20.
        assertThat(Seconds.since(asked)).isLessThan(10);
        assertThat(waiter.line()).isEqualTo("error");
        assertThat(bed.client(staying).renew(held, 60)).isEqualTo("error");
        assertThat(keeper.renew(kept, 600)).isEqualTo("ok 600");
        keeper.release(kept);
        assertThat(next.join().isAfter(kept)).isTrue();
    }
}
