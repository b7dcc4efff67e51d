package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways that die, or stand still for longer than Consul waits. Upper bounds have room for a busy machine. */
@Execution(ExecutionMode.CONCURRENT)
class GatewayFailureTest {
    private static final double SLACK_S = 6;

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    @Test
    void theLeaseOfADeadGatewayEndsOnTime() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess dying = bed.gateway(consul.address());
        GatewayProcess other = bed.gateway(consul.address());
        long asked = System.nanoTime();
        Grant lock = bed.client(dying).lock("job", 0, 4);
        Grant slot = bed.client(dying).slot("pool", 0, 1, 4);
        long granted = System.nanoTime();
        var nextLock = bed.client(other).lockLater("job", 60, 60);
        var nextSlot = bed.client(other).askLater("sl", "pool", "60 1 60");
        bed.client(other).awaitWaiters("job", 1);
        bed.client(other).awaitWaiters("pool", 1);
        dying.kill();
        assertThat(nextLock.join().isAfter(lock)).isTrue();
        assertThat(Grant.of("pool", nextSlot.join()).isAfter(slot)).isTrue();
        assertThat(Seconds.since(asked)).isGreaterThan(4);
        // Its sessions, of 10 s, end no sooner than 20 s after its death.
        assertThat(Seconds.since(granted)).isLessThan(4 + 1.5 + SLACK_S);
    }

    @Test
    void aDeadGatewaysLongLeasesEndWithItsCheck() throws IOException, InterruptedException {
        var consul = bed.consul("{}");
        GatewayProcess dying = bed.gateway(consul.address(), "--consul-check-ttl=2");
        GatewayProcess other = bed.gateway(consul.address());
        Grant lock = bed.client(dying).lock("job", 0, 3600);
        Grant slot = bed.client(dying).slot("pool", 0, 1, 3600);
        var nextLock = bed.client(other).lockLater("job", 60, 60);
        var nextSlot = bed.client(other).askLater("sl", "pool", "60 1 60");
        bed.client(other).awaitWaiters("job", 1);
        bed.client(other).awaitWaiters("pool", 1);
        long died = System.nanoTime();
        dying.kill();
        assertThat(nextLock.join().isAfter(lock)).isTrue();
        assertThat(Grant.of("pool", nextSlot.join()).isAfter(slot)).isTrue();
        assertThat(Seconds.since(died)).isLessThan(3.5 + SLACK_S);
    }

    @Test
    void aGatewayThatStoodStillForTooLongBelievesInNothing() throws IOException, InterruptedException {
        var consul = bed.consul("{\"session_ttl_min\": \"4s\"}");
        GatewayProcess sleeper = bed.gateway(consul.address(), "--consul-session-ttl=4");
        GatewayProcess other = bed.gateway(consul.address(), "--consul-session-ttl=4");
        LineClient holder = bed.client(sleeper);
        Grant lock = holder.lock("job", 0, 3600);
        Grant slot = holder.slot("pool", 0, 1, 3600);
        var nextLock = bed.client(other).lockLater("job", 60, 3600);
        var nextSlot = bed.client(other).askLater("sl", "pool", "60 1 3600");
        bed.client(other).awaitWaiters("job", 1);
        bed.client(other).awaitWaiters("pool", 1);
        sleeper.pause();
        Grant second = nextLock.join();
        assertThat(second.isAfter(lock)).isTrue();
        assertThat(Grant.of("pool", nextSlot.join()).isAfter(slot)).isTrue();
        sleeper.resume();
        assertThat(holder.renew(lock, 3600)).isEqualTo("error");
        assertThat(holder.renew(slot, 3600)).isEqualTo("error");
        assertThat(holder.release(lock)).isEqualTo("error");
        assertThat(sleeper.awaitReady(200).status()).isEqualTo(200);
        assertThat(holder.lock("another", 10, 60).isAfter(second)).isTrue();
        assertThat(holder.ask("l", "job", "0 60")).isEqualTo("timeout");
        assertThat(holder.release(second)).isEqualTo("ok");
        assertThat(holder.lock("job", 10, 60).isAfter(second)).isTrue();
    }
}
