package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gateways that die, or stall for longer than Consul waits. Upper bounds leave room for a busy
 * machine.
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
        held.shorten(holder, 4);
        long renewed = System.nanoTime();
        dying.kill();
        held.awaitNext();
        assertThat(Seconds.since(asked)).isGreaterThan(4);
        // Its sessions, of 10 s, end no sooner than 20 s after its death.
        assertThat(Seconds.since(renewed)).isLessThan(4 + 1.5 + SLACK_S);
    }

    @Test
    void aShortSessionTtlEndsTheLongLeasesOfADeadGatewaySooner() throws IOException, InterruptedException {
        var consul = bed.consul("{\"session_ttl_min\": \"2s\"}");
        GatewayProcess dying = bed.gateway(consul.address(), "--consul-session-ttl=2");
        GatewayProcess other = bed.gateway(consul.address(), "--consul-session-ttl=2");
        HeldPair held = HeldPair.of(bed, bed.client(dying), other, 3600, 60);
        long died = System.nanoTime();
        dying.kill();
        held.awaitNext();
        assertThat(Seconds.since(died)).isLessThan(4 + 1.5 + SLACK_S);
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
}
