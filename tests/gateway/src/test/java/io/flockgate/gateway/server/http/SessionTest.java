package io.flockgate.gateway.server.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The ends of sessions while requests run, and what they leave behind. */
@Execution(ExecutionMode.CONCURRENT)
class SessionTest {
    @Test
    @DisplayName("★30 DeleteSessionReportsCleanupError: 503 fence_persistence, and the session is gone anyway")
    void aReleaseThatFailsWhenASessionIsDeletedIsReported() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                SessionClient deleted = SessionClient.of(gateway.httpPort())) {
            deleted.lock("fine");
            deleted.lock(FaultyStorage.FENCELESS);
            Response response = deleted.delete();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.error()).isEqualTo("fence_persistence");
            assertThat(deleted.delete().status()).isEqualTo(410);
            try (SessionClient other = SessionClient.of(gateway.httpPort())) {
                other.lock("fine");
            }
        }
    }

    @Test
    @DisplayName("★31 DeleteWhileHandlerHoldsLock_Drains: waits for the running request, strands no slot")
    void deletingWaitsForTheRequestThatIsRunning() throws Exception {
        String key = FaultyStorage.COUNTED + "drains";
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                SessionClient deleted = SessionClient.of(gateway.httpPort());
                SessionClient deleter = deleted.again();
                SessionClient other = SessionClient.of(gateway.httpPort())) {
            deleted.beginLock(key, 0);
            FaultyStorage.awaitClaims(key, 1);
            assertThat(deleter.delete().status()).isEqualTo(204);
            expectGrantedOrGone(deleted.answer());
            other.lock(key);
        }
    }

    private static void expectGrantedOrGone(Response response) {
        if (response.status() == 410) {
            assertThat(response.error()).isEqualTo("session_gone");
        } else {
            assertThat(SessionClient.granted(response)).isNotEmpty();
        }
    }

    @Test
    @DisplayName("★34 BadJsonDoesNotKeepSessionAlive: no body keeps a session in flight, neither bad nor late")
    void aBodyThatIsBadOrNeverComesKeepsNoSession() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-session-idle-timeout=1");
                LineClient looker = gateway.client();
                SessionClient bad = SessionClient.of(gateway.httpPort());
                SessionClient late = SessionClient.of(gateway.httpPort())) {
            bad.lock("bad");
            late.lock("late");
            assertThat(bad.lock("other", "{garbage").status()).isEqualTo(400);
            late.http()
                    .send("POST /v1/locks/late/release HTTP/1.1\r\nHost: localhost\r\n" + late.header()
                            + "Content-Length: 100\r\n\r\n{\"token\":");
            looker.awaitStats("\"connections\":1,\"locks\":\\[\\],.*");
            assertThat(bad.lock("other", "{garbage").status()).isEqualTo(410);
        }
    }

    @Test
    @DisplayName("★35 PerSessionSerialization: two parallel waits of one session, exactly one grant")
    void twoWaitsOfOneSessionGetOneGrant() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                SessionClient one = SessionClient.of(gateway.httpPort());
                SessionClient two = one.again()) {
            HeldGrant held = holder.lock("job");
            assertThat(one.enqueue("job").outcome()).isEqualTo("queued");
            one.begin("/v1/locks/job/wait", "{\"timeout_s\":30}");
            two.begin("/v1/locks/job/wait", "{\"timeout_s\":30}");
            one.expectNoAnswerYet();
            two.expectNoAnswerYet();
            holder.release(held);
            List<Integer> statuses = List.of(one.answer().status(), two.answer().status());
            assertThat(statuses).containsExactlyInAnyOrder(200, 409);
        }
    }

    @Test
    @DisplayName("★38 ShutdownWaitsForSessionCleanup")
    void stoppingEndsOnceTheSessionsHaveGivenBackWhatTheyHeld() throws Exception {
        String key = FaultyStorage.COUNTED + "stop";
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty", "--shutdown-timeout=10");
                SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                LineClient looker = gateway.client()) {
            holder.lock(key);
            waiter.lock("job");
            waiter.beginLock(key, 600);
            looker.awaitWaiters(key, 1);
            looker.close();
            Future<Void> stopped = gateway.gateway().stop();
            assertThat(waiter.answer().status()).isEqualTo(410);
            stopped.await(LineClient.PATIENCE.toSeconds(), SECONDS);
            assertThat(FaultyStorage.releasesDone(key)).isPositive();
            assertThat(FaultyStorage.releasesDone("job")).isPositive();
        }
    }

    @Test
    void bothProtocolsAnswerTheSameIncarnation() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient line = gateway.client();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response session = http.ask("POST", "/v1/sessions", "", "{\"detached\":true}");
            assertThat(session.member("incarnation")).matches("[0-9A-Za-z_-]{1,64}");
            assertThat(line.ask("hello", "ci-7", "incarnation"))
                    .isEqualTo("ok incarnation=" + session.member("incarnation"));
        }
    }
}
