package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Gateways of an older version beside gateways of this one, on one Consul. {@code -Drolling.jar} is the jar of the older version, with
 * its {@code lib} beside it. The name of this class keeps it out of a build that has no such jar.
 */
@Tag("consul")
class RollingUpgradeScene {
    /** Plain, and with bytes that are escaped. */
    private static final List<String> KEYS = List.of("job", "a/b:c");

    private static final int WAITERS = 4;

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    private final ConsulAgent consul = bed.consul("{}");

    private GatewayProcess older() throws IOException, InterruptedException {
        Path jar = Path.of(System.getProperty("rolling.jar", "")).toAbsolutePath();
        return bed.gateway(
                GatewayLauncher.ofJar(jar, "--shutdown-timeout=1").withHttp().onConsul(consul.address()));
    }

    private GatewayProcess newer(String... flags) throws InterruptedException {
        return bed.gateway(consul.address(), flags);
    }

    private String record() {
        return consul.cli("kv", "get", "flockgate/.flockgate").output();
    }

    @Test
    void locksHaveOneQueueAndEachVersionReleasesForTheOther() throws IOException, InterruptedException {
        List<GatewayProcess> gateways = List.of(older(), newer());
        for (String key : KEYS) {
            HeldGrant held = bed.client(gateways.get(0)).lock(key, 0, 600);
            List<CompletableFuture<HeldGrant>> queue = new ArrayList<>();
            LineClient observer = bed.client(gateways.get(1));
            for (int i = 0; i < WAITERS; i++) {
                // Two of each: with an offer, and with a lease too short for one.
                int lease = i < 2 ? 600 : 15;
                queue.add(bed.client(gateways.get(i % 2)).lockLater(key, 60, lease));
                observer.awaitWaiters(key, i + 1);
            }
            for (int i = 0; i < WAITERS; i++) {
                assertThat(queue.subList(i, WAITERS)).noneMatch(CompletableFuture::isDone);
                bed.client(gateways.get(i / 2)).release(held);
                HeldGrant next = queue.get(i).join();
                assertThat(next.isAfter(held)).isTrue();
                held = next;
            }
            bed.client(gateways.get(0)).release(held);
        }
    }

    @Test
    void semaphoresAreShared() throws IOException, InterruptedException {
        List<GatewayProcess> gateways = List.of(older(), newer());
        for (String key : KEYS) {
            HeldGrant one = bed.client(gateways.get(0)).slot(key, 0, 2, 600);
            HeldGrant two = bed.client(gateways.get(1)).slot(key, 0, 2, 600);
            for (GatewayProcess each : gateways) {
                assertThat(bed.client(each).ask("sl", key, "0 2 600")).isEqualTo("timeout");
            }
            CompletableFuture<HeldGrant> atOlder = bed.client(gateways.get(0)).slotLater(key, 60, 2, 600);
            bed.client(gateways.get(1)).awaitWaiters(key, 1);
            CompletableFuture<HeldGrant> atNewer = bed.client(gateways.get(1)).slotLater(key, 60, 2, 600);
            bed.client(gateways.get(0)).awaitWaiters(key, 2);
            bed.client(gateways.get(1)).release(one);
            bed.client(gateways.get(0)).release(two);
            bed.client(gateways.get(0)).release(atNewer.join());
            bed.client(gateways.get(1)).release(atOlder.join());
        }
    }

    @Test
    void eachVersionRenewsForTheOther() throws IOException, InterruptedException {
        List<GatewayProcess> gateways = List.of(older(), newer());
        for (GatewayProcess holding : gateways) {
            GatewayProcess other = gateways.get(holding == gateways.get(0) ? 1 : 0);
            for (int lease : List.of(15, 600)) {
                LineClient holder = bed.client(holding);
                HeldGrant held = holder.lock("job", 0, lease);
                for (int i = 0; i < 3; i++) {
                    assertThat(bed.client(other).renew(held, lease)).startsWith("ok");
                    assertThat(holder.renew(held, lease)).startsWith("ok");
                }
                bed.client(other).release(held);
            }
        }
    }

    /** One gateway after the other. Nobody loses a lock but the clients of the gateway that stops. */
    @Test
    void aClusterIsUpgradedOneGatewayAfterTheOther() throws IOException, InterruptedException {
        GatewayProcess first = older();
        GatewayProcess second = older();
        String before = record();
        HeldGrant held = bed.client(second).lock("a/b:c", 0, 600);
        assertThat(first.stop()).isZero();
        GatewayProcess upgraded = newer();
        LineClient client = bed.client(upgraded);
        assertThat(client.ask("l", "a/b:c", "0 600")).isEqualTo("timeout");
        CompletableFuture<HeldGrant> next = client.lockLater("a/b:c", 60, 600);
        bed.client(second).awaitWaiters("a/b:c", 1);
        assertThat(second.stop()).isZero();
        assertThat(next.join().isAfter(held)).isTrue();
        GatewayProcess last = newer();
        assertThat(bed.client(last).ask("l", "a/b:c", "0 600")).isEqualTo("timeout");
        bed.client(last).release(next.join());
        assertThat(record()).isEqualTo(before);
    }

    /** The new names. A gateway of the older version stops, and says why. */
    @Test
    void aGatewayThatAdoptsStopsOlderOnes() throws Exception {
        GatewayProcess old = older();
        assumeThat(record()).contains("\"format\":1");
        HeldGrant held = bed.client(old).lock("a/b:c", 0, 600);
        GatewayProcess adopting = newer("--consul-adopt");
        // It may miss its session before it has read the record.
        var unused = Polling.until(old::ready, health -> health.body().contains("flockgate/.flockgate"));
        assertThat(bed.client(old).ask("l", "a/b:c", "1 600")).startsWith("error");
        assertThat(adopting.awaitReady(200).status()).isEqualTo(200);
        HeldGrant next = bed.client(adopting).lock("a/b:c", 10, 600);
        assertThat(next.isAfter(held)).isTrue();
        assertThat(consul.cli("kv", "get", "-keys", "-separator=", "flockgate/").output())
                .contains("flockgate/a,2fb,3ac/.lock")
                .doesNotContain("~");
        assertThat(record()).contains("\"format\":2").doesNotContain("old_names");
    }
}
