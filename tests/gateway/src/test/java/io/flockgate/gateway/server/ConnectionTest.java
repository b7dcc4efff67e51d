package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Connections in front of a gateway; transcripts show what they say. */
@Execution(ExecutionMode.CONCURRENT)
class ConnectionTest {
    @Test
    void aWaiterThatReceivesSignsOfLifeIsNotCutByABalancer() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                FaultyLink balancer = FaultyLink.to(gateway.port()).cutIdle(Duration.ofSeconds(4));
                LineClient holder = gateway.client();
                LineClient plain = LineClient.connect(balancer.port());
                LineClient waiter = LineClient.connect(balancer.port())) {
            HeldGrant held = holder.lock("job");
            assertThat(waiter.ask("hello", "ci-7", "alive=1")).isEqualTo("ok alive=1");
            waiter.queueUp("job", holder, 1);
            plain.queueUp("job", holder, 2);
            assertThat(plain.rest())
                    .as("what a client gets that asked for nothing")
                    .isEmpty();
            holder.awaitWaiters("job", 1);
            holder.release(held);
            String line = waiter.line();
            assertThat(line).isEqualTo("alive");
            while (line.equals("alive")) {
                line = waiter.line();
            }
            HeldGrant granted = HeldGrant.of("job", line);
            assertThat(waiter.renew(granted, 60))
                    .as("no sign of life after the wait")
                    .isEqualTo("ok 60");
        }
    }

    @Test
    void allLoopbackAddressesOfIpv4CountAsOne() throws Exception {
        try (TestGateway gateway = TestGateway.start("--max-connections-per-ip=1");
                LineClient one = gateway.client()) {
            assertThat(one.ping()).isEqualTo("ok");
            InetAddress other = InetAddress.ofLiteral("127.2.0.2");
            try (LineClient another =
                    LineClient.over(new Socket(InetAddress.getLoopbackAddress(), gateway.port(), other, 0))) {
                assertThat(another.rest()).isEmpty();
            }
        }
    }

    @Test
    void aRefusedTokenEndsItATenthOfASecondLater() throws Exception {
        try (TestGateway gateway = TestGateway.start("--auth-token=s3cret");
                LineClient client = gateway.client()) {
            long asked = System.nanoTime();
            assertThat(client.ask("auth", "_", "wrong")).isEqualTo("error_auth");
            assertThat(client.rest()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(80));
        }
    }
}
