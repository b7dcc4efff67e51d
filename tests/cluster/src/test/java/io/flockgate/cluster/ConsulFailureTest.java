package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul fails, and comes back. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulFailureTest {
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

    /** Each leader restarts the TTL of every session. */
    @Test
    void aNewLeaderBeginsTheTimeOfADeadGatewaysLocksAgain() throws Exception {
        var consul = bed.cluster("{\"session_ttl_min\": \"4s\", \"autopilot\": {\"cleanup_dead_servers\": false}}");
        List<ConsulAgent> followers = consul.followers();
        GatewayProcess dying = bed.gateway(followers.get(0).address(), "--consul-session-ttl=4");
        GatewayProcess other = bed.gateway(followers.get(1).address(), "--consul-session-ttl=4");
        HeldPair held = HeldPair.of(bed, bed.client(dying), other, 3600, 60);
        dying.kill();
        long elects = System.nanoTime();
        consul.leader().kill();
        held.awaitNext();
        assertThat(Seconds.since(elects)).isGreaterThan(2 * 4);
    }

    @Test
    void withoutConsulNothingIsGrantedAndTheGatewayHealsByItself() throws Exception {
        var consul = bed.consul("{}");
        GatewayProcess gateway = bed.gateway(consul.address());
        LineClient client = bed.client(gateway);
        HeldGrant first = client.lock("job", 0, 600);
        client.release(first);
        consul.pause();
        assertThat(client.ask("l", "job", "2 600")).startsWith("error");
        assertThat(gateway.awaitReady(503).body()).contains("Consul");
        consul.resume();
        gateway.awaitReady(200);
        assertThat(client.lock("job", 10, 600).isAfter(first)).isTrue();
    }

    @Test
    void aGatewayStartsWithoutConsulAndWorksWhenItComes() throws Exception {
        var consul = bed.durableConsul();
        consul.kill();
        GatewayProcess gateway = bed.gateway(consul.address());
        assertThat(gateway.ready()).satisfies(health -> {
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.body()).contains("Consul");
        });
        LineClient client = bed.client(gateway);
        assertThat(client.ask("ping", "_", "_")).isEqualTo("ok");
        assertThat(client.ask("l", "job", "0")).startsWith("error");
        consul.restart();
        gateway.awaitReady(200);
        HeldGrant grant = client.lock("job", 10, 600);
        client.release(grant);
    }

    @Test
    void aConsulThatHasLostItsDataIsReportedOnce() throws Exception {
        var consul = bed.consul("{}");
        GatewayProcess gateway = bed.gateway(consul.address());
        LineClient client = bed.client(gateway);
        for (int i = 0; i < 20; i++) {
            client.release(client.lock("job", 0, 600));
        }
        Queue<String> reports = new ConcurrentLinkedQueue<>();
        gateway.listen(line -> {
            if (line.contains("level=ERROR")) {
                reports.add(line);
            }
        });
        consul.restart();
        gateway.awaitLog("Consul has lost");
        assertThat(client.ask("l", "job", "2 600")).startsWith("error");
        awaitReason(gateway, reason -> reason.contains("delete the record"));
        // After an outage the gateway checks again, with the same result.
        consul.kill();
        awaitReason(gateway, reason -> !reason.contains("delete the record"));
        consul.restart();
        awaitReason(gateway, reason -> reason.contains("delete the record"));
        assertThat(reports).singleElement().asString().contains("Consul has lost", "delete the record");
    }

    private static void awaitReason(GatewayProcess gateway, Predicate<String> wanted) throws Exception {
        var unused = Polling.until(gateway::ready, ready -> wanted.test(ready.body()));
    }
}
