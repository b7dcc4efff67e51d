package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Upgrades from an earlier build, as docs/upgrading.md describes them. {@code deploy/upgrade-check}
 * builds it and names its jar in the property {@code previous.jar}.
 */
@Tag("slow")
class UpgradeTest {
    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    @TempDir
    Path directory;

    private static GatewayLauncher previous() {
        String jar = System.getProperty("previous.jar", "");
        assertThat(jar).as("-Dprevious.jar: deploy/upgrade-check sets it").isNotEmpty();
        return GatewayLauncher.ofJar(Path.of(jar), "--shutdown-timeout=1").withHttp();
    }

    private LineClient detached(GatewayProcess gateway) throws IOException {
        LineClient client = bed.client(gateway);
        assertThat(client.ask("hello", "upgrade", "detached")).isEqualTo("ok detached");
        return client;
    }

    @Tag("consul")
    @Test
    void gatewaysOverConsulAreReplacedOneAfterTheOther() throws Exception {
        var consul = bed.consul();
        GatewayProcess first = bed.gateway(previous().onConsul(consul.address()));
        GatewayProcess second = bed.gateway(previous().onConsul(consul.address()));
        HeldGrant lock = detached(first).lock("job", 0, 300);
        assertThat(first.stop()).isZero();

        // Mixed: the new gateway renews the old one's grant, and both have clients in one queue.
        GatewayProcess newFirst = bed.gateway(consul.address());
        LineClient client = detached(newFirst);
        assertThat(client.renew(lock, 300)).isEqualTo("ok 300");
        LineClient waiter = detached(newFirst);
        CompletableFuture<HeldGrant> next = waiter.lockLater("job", 120, 300);
        waitFor("job", second, 1);
        LineClient later = detached(second);
        CompletableFuture<HeldGrant> last = later.lockLater("job", 120, 300);
        waitFor("job", second, 2);
        bed.client(second).release(lock);
        HeldGrant ofNew = next.join();
        assertThat(ofNew.isAfter(lock)).isTrue();
        bed.client(second).release(ofNew);
        HeldGrant ofOld = last.join();
        assertThat(ofOld.isAfter(ofNew)).isTrue();

        // Only new ones: the grant made by an old gateway is still held, and no fence falls.
        assertThat(second.stop()).isZero();
        GatewayProcess newSecond = bed.gateway(consul.address());
        LineClient end = bed.client(newSecond);
        assertThat(end.ask("l", "job", "0")).isEqualTo("timeout");
        assertThat(end.renew(ofOld, 60)).isEqualTo("ok 60");
        end.release(ofOld);
        assertThat(end.lock("job", 10, 60).isAfter(ofOld)).isTrue();
    }

    private void waitFor(String key, GatewayProcess gateway, int waiters) throws IOException {
        bed.client(gateway).awaitWaiters(key, waiters);
    }

    @Tag("consul")
    @Test
    void aDurableNodeKeepsItsLeases() throws Exception {
        String data = "--data-dir=" + directory;
        GatewayProcess old = bed.gateway(previous().flags(data));
        HeldGrant stopped = detached(old).lock("job", 0, 300);
        HeldGrant slot = detached(old).slot("pool", 0, 1, 300);
        assertThat(old.stop()).isZero();

        GatewayProcess current = bed.gateway(data);
        LineClient client = bed.client(current);
        assertThat(client.ask("l", "job", "0")).isEqualTo("timeout");
        assertThat(client.ask("sl", "pool", "0 1")).isEqualTo("timeout");
        assertThat(client.renew(stopped, 300)).isEqualTo("ok 300");
        client.release(stopped);
        assertThat(client.lock("job", 10, 60).isAfter(stopped)).isTrue();
        assertThat(client.ask("sr", "pool", slot.token())).isEqualTo("ok");
    }
}
