package io.flockgate.gateway.server.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both protocols while the server stops. */
@Execution(ExecutionMode.CONCURRENT)
class DrainTest {
    private static final long PATIENCE = LineClient.PATIENCE.toSeconds();

    /** Waits until connections are refused; those still accepted are closed again. */
    private static void awaitRefusal(int port) throws IOException {
        boolean unused = Polling.until(() -> isRefused(port), refused -> refused);
    }

    private static boolean isRefused(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            // Without a listener, the kernel can pick this port as the local one: connected to itself.
            return socket.getLocalPort() == port;
        } catch (ConnectException e) {
            return true;
        } catch (SocketException e) {
            // Reset while connecting: the port is being closed, but is not closed yet.
            return false;
        }
    }

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
            awaitRefusal(gateway.port());
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
            awaitRefusal(gateway.port());
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
            awaitRefusal(gateway.port());
            assertThat(other.pingUntilRefused()).isEqualTo("error_draining");
            assertThat(other.rest()).isEmpty();
            client.send("0\n");
            assertThat(client.rest()).isEqualTo("error_draining\n");
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void longPollsAreAnsweredAndThenTheirConnectionsEnd(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=0", "--event-loops=" + eventLoops);
                LineClient holder = LineClient.connect(gateway.port());
                SessionClient acquires = SessionClient.of(gateway.httpPort());
                SessionClient waits = SessionClient.of(gateway.httpPort());
                RawHttp idle = RawHttp.of(gateway.httpPort())) {
            holder.lock("job");
            assertThat(idle.get("/ready").status()).isEqualTo(200);
            acquires.beginLock("job", 600);
            assertThat(waits.enqueue("job").outcome()).isEqualTo("queued");
            waits.begin("/v1/locks/job/wait", "{\"timeout_s\":600}");
            holder.awaitWaiters("job", 2);
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(acquires.answer().status()).isEqualTo(410);
            assertThat(waits.answer().error()).isEqualTo("session_gone");
            acquires.http().expectClosed();
            waits.http().expectClosed();
            idle.expectClosed();
            holder.close();
            stopped.await(PATIENCE, SECONDS);
            awaitRefusal(gateway.httpPort());
        }
    }

    @Test
    void allStillWorksDuringTheShutdownDelayButReadiness() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=0", "--shutdown-delay=4");
                LineClient line = gateway.client();
                SessionClient before = SessionClient.of(gateway.httpPort())) {
            HeldGrant held = line.lock("line");
            String token = before.lock("job");
            Future<Void> stopped = gateway.gateway().stop();
            Response ready = before.http().get("/ready");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.body()).isEqualTo("{\"status\":\"draining\"}\n");
            assertThat(before.http().get("/health").status()).isEqualTo(200);
            try (SessionClient during = SessionClient.of(gateway.httpPort());
                    LineClient waiter = gateway.client()) {
                waiter.queueUp("line", line, 1);
                line.release(held);
                waiter.release(waiter.granted("line"));
                before.release("job", token);
                during.lock("job");
                assertThat(during.http().get("/metrics").body()).containsPattern("\ndflockd_ready 0(\\.0)?\n");
                assertThat(stopped.isComplete()).isFalse();
            }
            awaitRefusal(gateway.port());
            assertThat(line.ping()).isEqualTo("error_draining");
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    void aRequestUnderWayIsAnsweredAndNewSessionsAreRefused() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=15");
                SessionClient begun = SessionClient.of(gateway.httpPort());
                RawHttp half = RawHttp.of(gateway.httpPort());
                RawHttp session = RawHttp.of(gateway.httpPort())) {
            assertThat(half.get("/health").status()).isEqualTo(200);
            assertThat(session.get("/health").status()).isEqualTo(200);
            begun.http()
                    .send(RawHttp.request(
                            "POST",
                            "/v1/locks/job",
                            begun.header() + "Content-Length: 2\r\nExpect: 100-continue\r\n",
                            ""));
            assertThat(begun.answer().status()).isEqualTo(100);
            half.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n");
            Future<Void> stopped = gateway.gateway().stop();
            awaitRefusal(gateway.httpPort());
            half.expectClosed();
            begun.http().send("{}");
            Response gone = begun.http().lastResponse();
            assertThat(gone.error()).isEqualTo("session_gone");
            assertThat(gone.header("Connection")).contains("close");
            session.expectClosed();
            stopped.await(PATIENCE, SECONDS);
        }
    }

    @Test
    @DisplayName("★10 GracefulShutdown_ForceClose: the timeout ends what is left")
    void theTimeoutEndsWhatIsLeft() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=1", "--event-loops=2");
                LineClient idle = gateway.client();
                LineClient other = gateway.client();
                LineClient midFrame = gateway.client();
                RawHttp midHead = RawHttp.of(gateway.httpPort());
                RawHttp deaf = RawHttp.of(gateway.httpPort())) {
            for (LineClient client : List.of(idle, other, midFrame)) {
                assertThat(client.ping()).isEqualTo("ok");
            }
            midFrame.send("l\njob\n");
            assertThat(midHead.get("/health").status()).isEqualTo(200);
            midHead.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConte");
            String requests = RawHttp.request("GET", "/v1/openapi.json", "", "").repeat(300);
            deaf.send(requests + RawHttp.request("GET", "/health", "Connection: close\r\n", ""));
            try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                assertThat(http.get("/health").status()).isEqualTo(200);
            }
            long begun = System.nanoTime();
            gateway.gateway().stop().await(PATIENCE, SECONDS);
            assertThat(System.nanoTime() - begun)
                    .isGreaterThan(Duration.ofMillis(900).toNanos());
            for (LineClient client : List.of(idle, other, midFrame)) {
                assertThat(client.rest()).isEmpty();
            }
            assertThat(midHead.rest()).matches("(?s)|HTTP/1.1 [45].*");
        }
    }
}
