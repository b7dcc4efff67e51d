package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Grants of detached connections, when the connection or the gateway ends. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class DetachedGrantTest {
    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    private LineClient detached(GatewayProcess gateway) throws IOException {
        LineClient client = bed.client(gateway);
        assertThat(client.ask("hello", "ci-7", "detached")).isEqualTo("ok detached");
        return client;
    }

    @FunctionalInterface
    private interface End {
        void of(GatewayProcess gateway) throws InterruptedException;
    }

    @Test
    void goOnThroughAnotherGatewayWhenTheirsIsKilled() throws IOException, InterruptedException {
        goOnThroughAnotherGateway(GatewayProcess::kill);
    }

    @Test
    void goOnThroughAnotherGatewayWhenTheirsIsStopped() throws IOException, InterruptedException {
        goOnThroughAnotherGateway(gateway -> assertThat(gateway.stop()).isZero());
    }

    private void goOnThroughAnotherGateway(End end) throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess first = bed.gateway(consul.address());
        GatewayProcess second = bed.gateway(consul.address());
        HeldPair held = HeldPair.of(bed, detached(first), second, 300, 60);
        end.of(first);
        LineClient again = detached(second);
        assertThat(again.renew(held.lock(), 300)).isEqualTo("ok 300");
        assertThat(again.renew(held.slot(), 300)).isEqualTo("ok 300");
        assertThat(held.nextLock()).isNotDone();
        assertThat(held.nextSlot()).isNotDone();
        again.release(held.lock());
        assertThat(again.ask("sr", "pool", held.slot().token())).isEqualTo("ok");
        held.awaitNext();
    }

    @Test
    void endWithTheirLeasesWhenNobodyRenews() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess first = bed.gateway(consul.address());
        GatewayProcess second = bed.gateway(consul.address());
        LineClient holder = detached(first);
        HeldPair held = HeldPair.of(bed, holder, second, 300, 60);
        long asked = System.nanoTime();
        held.shorten(holder, 3);
        first.kill();
        held.awaitNext();
        assertThat(Seconds.since(asked)).isGreaterThan(3);
    }

    @Test
    void goOnWhenTheirGatewayStartsAgain() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess first = bed.gateway(consul.address());
        HeldGrant lock = detached(first).lock("job", 0, 300);
        first.kill();
        GatewayProcess again = bed.gateway(consul.address());
        LineClient client = bed.client(again);
        assertThat(client.ask("l", "job", "0")).isEqualTo("timeout");
        assertThat(client.renew(lock, 300)).isEqualTo("ok 300");
        client.release(lock);
        assertThat(client.lock("job", 10, 60).isAfter(lock)).isTrue();
    }

    @Test
    void goOnWhenTheConnectionIsCut() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess first = bed.gateway(consul.address());
        GatewayProcess second = bed.gateway(consul.address());
        LineClient holder = detached(first);
        HeldPair held = HeldPair.of(bed, holder, second, 300, 60);
        LineClient waiter = detached(first);
        CompletableFuture<String> unused = waiter.askLater("l", "job", "60");
        LineClient observer = bed.client(first);
        observer.awaitWaiters("job", 2);
        holder.reset();
        waiter.reset();
        // By the time the place in the queue is removed, the holder's connection has ended.
        observer.awaitWaiters("job", 1);
        assertThat(observer.renew(held.lock(), 300)).isEqualTo("ok 300");
        assertThat(observer.renew(held.slot(), 300)).isEqualTo("ok 300");
        observer.release(held.lock());
        assertThat(observer.ask("sr", "pool", held.slot().token())).isEqualTo("ok");
        held.awaitNext();
    }

    /** With storage in memory nothing outlives the server, so the client's renewal fails. */
    @Test
    void endWithAServerThatKeepsThemInMemory() throws IOException, InterruptedException {
        GatewayProcess first = bed.gateway();
        HeldGrant lock = detached(first).lock("job", 0, 300);
        assertThat(first.stop()).isZero();
        LineClient client = bed.client(bed.gateway());
        assertThat(client.renew(lock, 300)).isEqualTo("error");
        assertThat(client.lock("job", 0, 60).isAfter(lock)).isTrue();
    }
}
