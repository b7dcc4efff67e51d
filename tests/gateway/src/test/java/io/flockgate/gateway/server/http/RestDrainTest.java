package io.flockgate.gateway.server.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.Refusal;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.Future;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The REST API while the server stops. */
@Execution(ExecutionMode.CONCURRENT)
class RestDrainTest {
    private static final long PATIENCE = LineClient.PATIENCE.toSeconds();

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
            Refusal.await(gateway.httpPort());
        }
    }

    @Test
    void theHttpPortRefusesConnectionsOnceTheStopIsComplete() throws Exception {
        InetAddress own = InetAddress.ofLiteral("127.0.46.1");
        try (TestGateway gateway =
                TestGateway.startWithHttp("--shutdown-timeout=0", "--http-host=" + own.getHostAddress())) {
            assertThat(Refusal.isRefused(own, gateway.httpPort())).isFalse();
            gateway.gateway().stop().await(PATIENCE, SECONDS);
            assertThat(Refusal.isRefused(own, gateway.httpPort())).isTrue();
        }
    }

    @Test
    void allStillWorksDuringTheShutdownDelayButReadiness() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=0", "--shutdown-delay=4");
                SessionClient before = SessionClient.of(gateway.httpPort())) {
            String token = before.lock("job");
            Future<Void> stopped = gateway.gateway().stop();
            Response ready = before.http().get("/ready");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.body()).isEqualTo("{\"status\":\"draining\"}\n");
            assertThat(before.http().get("/health").status()).isEqualTo(200);
            try (SessionClient during = SessionClient.of(gateway.httpPort())) {
                before.release("job", token);
                during.lock("job");
                assertThat(during.http().get("/metrics").body()).containsPattern("\ndflockd_ready 0(\\.0)?\n");
                assertThat(stopped.isComplete()).isFalse();
            }
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
            Refusal.await(gateway.httpPort());
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
    void whatIsLeftEndsAtTheTimeout() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--shutdown-timeout=1", "--event-loops=1");
                RawHttp midway = RawHttp.of(gateway.httpPort());
                RawHttp deaf = RawHttp.of(gateway.httpPort())) {
            assertThat(midway.get("/health").status()).isEqualTo(200);
            midway.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConte");
            String requests = RawHttp.request("GET", "/v1/openapi.json", "", "").repeat(300);
            deaf.send(requests + RawHttp.request("GET", "/health", "Connection: close\r\n", ""));
            try (RawHttp other = RawHttp.of(gateway.httpPort())) {
                assertThat(other.get("/health").status()).isEqualTo(200);
            }
            gateway.gateway().stop().await(PATIENCE, SECONDS);
            assertThat(midway.rest()).matches("(?s)|HTTP/1.1 [45].*");
        }
    }
}
