package io.flockgate.gateway.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class DrainTest {
    private static final long PATIENCE = LineClient.PATIENCE.toSeconds();

    @Test
    @DisplayName("★9 GracefulShutdown_DrainCompletes: ends once the connections have finished")
    void endsOnceTheLastConnectionHasFinished() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0", "--event-loops=2");
                LineClient speaks = gateway.client();
                LineClient leaves = gateway.client();
                LineClient idle = gateway.client()) {
            speaks.lock("job");
            assertThat(leaves.ping()).isEqualTo("ok");
            assertThat(idle.ping()).isEqualTo("ok");
            Future<Void> stopped = gateway.gateway().stop();
            Refusal.await(gateway.port());
            Future<Void> again = gateway.gateway().stop();
            assertThat(speaks.ask("l", "other", "0")).isEqualTo("error_draining");
            assertThat(speaks.rest()).isEmpty();
            leaves.halfClose();
            assertThat(leaves.rest()).isEmpty();
            assertThat(stopped.isComplete()).isFalse();
            assertThat(idle.ping()).isEqualTo("error_draining");
            assertThat(idle.rest()).isEmpty();
            stopped.await(PATIENCE, SECONDS);
            again.await(PATIENCE, SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "w"})
    void aBlockedWaitGetsAnErrorAndItsConnectionStaysUntilItSpeaks(String command) throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0");
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client()) {
            holder.lock("job");
            if (command.equals("w")) {
                assertThat(waiter.ask("e", "job", "")).isEqualTo("queued");
            }
            waiter.send(LineClient.frame(command, "job", "600"));
            holder.awaitWaiters("job", 1);
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(waiter.line()).isEqualTo("error");
            holder.halfClose();
            assertThat(holder.rest()).isEmpty();
            assertThat(waiter.ask("e", "job", "")).isEqualTo("error_draining");
            assertThat(waiter.rest()).isEmpty();
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    void aConnectionThatLosesNothingEndsAtOnceIfGrantsOutliveTheProcess(@TempDir Path directory) throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0", "--data-dir=" + directory);
                LineClient holder = detached(gateway);
                LineClient waiter = detached(gateway);
                LineClient idle = gateway.client()) {
            holder.lock("job");
            assertThat(idle.ping()).isEqualTo("ok");
            waiter.queueUp("job", idle, 1);
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(holder.rest()).isEmpty();
            assertThat(waiter.rest()).isEqualTo("error\n");
            assertThat(idle.rest()).isEmpty();
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    void leasesThatGoOnAreRenewedWhileALockEndsWithItsConnection(@TempDir Path directory) throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0", "--data-dir=" + directory);
                LineClient kept = detached(gateway);
                LineClient bound = gateway.client();
                LineClient waiter = gateway.client()) {
            HeldGrant lease = kept.lock("job");
            HeldGrant held = bound.lock("bound");
            waiter.queueUp("bound", bound, 1);
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(waiter.line()).isEqualTo("error");
            assertThat(kept.renew(lease, 60)).startsWith("ok");
            try (LineClient again = detached(gateway)) {
                assertThat(again.renew(lease, 60)).startsWith("ok");
                assertThat(again.ask("l", "other", "0")).isEqualTo("error_draining");
            }
            assertThat(stopped.isComplete()).isFalse();
            bound.release(held);
            stopped.await(PATIENCE, SECONDS);
            assertThat(kept.rest()).isEmpty();
            assertThat(bound.rest()).isEmpty();
        }
    }

    @Test
    void aDetachedConnectionStaysUntilItSpeaksIfItsGrantsEndWithTheProcess() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0");
                LineClient idle = detached(gateway)) {
            idle.lock("job");
            Future<Void> stopped = gateway.gateway().stop();
            Refusal.await(gateway.port());
            assertThat(idle.ping()).isEqualTo("error_draining");
            stopped.await(PATIENCE, SECONDS);
        }
    }

    private static LineClient detached(TestGateway gateway) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("hello", "batch", "detached")).isEqualTo("ok detached");
        return client;
    }

    @Test
    void framesSentAheadOfABlockedWaitAreAnsweredAtDrain() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0");
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client()) {
            holder.lock("job");
            waiter.send(LineClient.frame("l", "job", "600")
                    + LineClient.frame("ping", "_", "_").repeat(2));
            holder.awaitWaiters("job", 1);
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(waiter.rest()).isEqualTo("error\nerror_draining\n");
            holder.close();
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    void aFrameBegunBeforeDrainIsAnsweredOnceItIsWhole() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0");
                LineClient client = gateway.client();
                LineClient other = gateway.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            assertThat(other.ping()).isEqualTo("ok");
            client.send("l\njob\n");
            Future<Void> stopped = gateway.gateway().stop();
            Refusal.await(gateway.port());
            assertThat(other.pingUntilRefused()).isEqualTo("error_draining");
            assertThat(other.rest()).isEmpty();
            client.send("0\n");
            assertThat(client.rest()).isEqualTo("error_draining\n");
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    @DisplayName("★10 GracefulShutdown_ForceClose: the timeout ends what is left")
    void theTimeoutEndsWhatIsLeft() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=1", "--event-loops=2");
                LineClient idle = gateway.client();
                LineClient other = gateway.client();
                LineClient midway = gateway.client()) {
            assertThat(idle.ping()).isEqualTo("ok");
            assertThat(other.ping()).isEqualTo("ok");
            assertThat(midway.ping()).isEqualTo("ok");
            midway.send("l\njob\n");
            long begun = System.nanoTime();
            gateway.gateway().stop().await(PATIENCE, SECONDS);
            assertThat(System.nanoTime() - begun)
                    .isGreaterThan(Duration.ofMillis(900).toNanos());
            assertThat(idle.rest()).isEmpty();
            assertThat(other.rest()).isEmpty();
            assertThat(midway.rest()).isEmpty();
        }
    }

    @Test
    void allStillWorksDuringTheShutdownDelay() throws Exception {
        try (TestGateway gateway = TestGateway.start("--shutdown-timeout=0", "--shutdown-delay=2");
                LineClient before = gateway.client()) {
            HeldGrant held = before.lock("job");
            Future<Void> stopped = gateway.gateway().stop();
            try (LineClient during = gateway.client()) {
                during.queueUp("job", before, 1);
                before.release(held);
                during.release(during.granted("job"));
                assertThat(stopped.isComplete()).isFalse();
            }
            Refusal.await(gateway.port());
            assertThat(before.ping()).isEqualTo("error_draining");
            before.close();
            stopped.await(PATIENCE, SECONDS);
        }
    }
}
