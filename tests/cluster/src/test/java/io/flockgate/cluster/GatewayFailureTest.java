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

/**
 * Gateways that die, are stopped, or stall for longer than Consul waits. Upper bounds leave room
 * for a busy machine.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class GatewayFailureTest {
    private static final double SLACK_S = 12;

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    @Test
    void theLeaseOfADeadGatewayEndsOnTime() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess dying = bed.gateway(consul.address());
        GatewayProcess other = bed.gateway(consul.address());
        LineClient holder = bed.client(dying);
        HeldPair held = HeldPair.of(bed, holder, other, 3600, 60);
        long asked = System.nanoTime();
        held.renew(holder, 4);
        long renewed = System.nanoTime();
        dying.kill();
        held.awaitNext();
        assertThat(Seconds.since(asked)).isGreaterThan(4);
        // Its sessions, of 10 s, end no sooner than 20 s after its death.
        assertThat(Seconds.since(renewed)).isLessThan(4 + 1.5 + SLACK_S);
    }

    @Test
    void aGatewayThatStoodStillForTooLongBelievesInNothing() throws Exception {
        var consul = bed.consul("{\"session_ttl_min\": \"4s\"}");
        GatewayProcess sleeper = bed.gateway(consul.address(), "--consul-session-ttl=4");
        GatewayProcess other = bed.gateway(consul.address(), "--consul-session-ttl=4");
        LineClient holder = bed.client(sleeper);
        HeldPair held = HeldPair.of(bed, holder, other, 3600, 3600);
        sleeper.pause();
        HeldGrant second = held.awaitNext();
        sleeper.resume();
        // The client would not renew for half an hour.
        assertThat(holder.rest()).isEmpty();
        LineClient next = bed.client(sleeper);
        assertThat(next.renew(held.lock(), 3600)).isEqualTo("error");
        assertThat(next.renew(held.slot(), 3600)).isEqualTo("error");
        assertThat(next.ask("r", "job", held.lock().token())).isEqualTo("error");
        sleeper.awaitReady(200);
        assertThat(next.lock("another", 10, 60).isAfter(second)).isTrue();
        assertThat(next.ask("l", "job", "0 60")).isEqualTo("timeout");
        next.release(second);
        assertThat(next.lock("job", 10, 60).isAfter(second)).isTrue();
    }

    @Test
    void aDetachedGrantOutlivesItsConnectionAndItsGateway() throws IOException, InterruptedException {
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
        held.renew(observer, 300);
        first.kill();

        LineClient again = detached(second);
        held.renew(again, 300);
        assertThat(held.nextLock()).isNotDone();
        assertThat(held.nextSlot()).isNotDone();
        again.release(held.lock());
        assertThat(again.ask("sr", "pool", held.slot().token())).isEqualTo("ok");
        held.awaitNext();
    }

    private LineClient detached(GatewayProcess gateway) throws IOException {
        LineClient client = bed.client(gateway);
        assertThat(client.ask("hello", "ci-7", "detached")).isEqualTo("ok detached");
        return client;
    }

    @Test
    void aPlannedRestartCostsTheClientsOfThatGatewayOnly() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess stopping = bed.gateway(consul.address());
        GatewayProcess staying = bed.gateway(consul.address());
        LineClient keeper = bed.client(staying);
        HeldGrant kept = keeper.lock("kept", 0, 600);
        HeldPair held = HeldPair.of(bed, bed.client(stopping), staying, 3600, 60);
        LineClient waiter = bed.client(stopping);
        waiter.send(LineClient.frame("l", "kept", "60 600"));
        keeper.awaitWaiters("kept", 1);
        CompletableFuture<HeldGrant> next = bed.client(staying).lockLater("kept", 60, 600);
        keeper.awaitWaiters("kept", 2);
        // The gateway that stops has seen the waiters of the other one.
        bed.client(stopping).awaitWaiters("job", 1);
        bed.client(stopping).awaitWaiters("pool", 1);

        long asked = System.nanoTime();
        assertThat(stopping.stop()).isZero();
        held.awaitNext();
        // A second for clients to finish; a session left to expire would take 20.
        assertThat(Seconds.since(asked)).isLessThan(10);
        assertThat(waiter.line()).isEqualTo("error");
        assertThat(bed.client(staying).renew(held.lock(), 60)).isEqualTo("error");
        assertThat(keeper.renew(kept, 600)).isEqualTo("ok 600");
        keeper.release(kept);
        assertThat(next.join().isAfter(kept)).isTrue();
    }
}
