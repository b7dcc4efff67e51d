package io.flockgate.gateway.server.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The life of sessions: one request at a time, what ends them, and what they leave behind. */
@Execution(ExecutionMode.CONCURRENT)
class SessionTest {
    private static final String ANY_TOKEN = "{\"token\":\"x\"}";

    @Test
    @DisplayName("DeleteSessionReleasesHeldLocks: another session has them at once after the 204")
    void deletingASessionFreesWhatItHeldBeforeTheAnswer() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient deleted = SessionClient.of(gateway.httpPort());
                SessionClient other = SessionClient.of(gateway.httpPort())) {
            for (int i = 0; i < 50; i++) {
                deleted.lock("job-" + i);
            }
            assertThat(deleted.delete().status()).isEqualTo(204);
            for (int i = 0; i < 50; i++) {
                other.lock("job-" + i);
            }
        }
    }

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

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("★31 DeleteWhileHandlerHoldsLock_Drains: a claim and the deletion at the same time, many times")
    void aClaimAtTheSameTimeAsTheDeletionLeavesNothingBehind(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=" + eventLoops);
                SessionClient other = SessionClient.of(gateway.httpPort());
                RawHttp deleter = RawHttp.of(gateway.httpPort())) {
            for (int i = 0; i < 200; i++) {
                try (SessionClient deleted = SessionClient.of(gateway.httpPort())) {
                    deleted.beginLock("job", i % 2);
                    Response response = deleter.ask("DELETE", "/v1/sessions/" + deleted.session(), "", "");
                    assertThat(response.status()).isEqualTo(204);
                    expectGrantedOrGone(deleted.answer());
                }
                other.release("job", other.lock("job"));
            }
        }
    }

    private static void expectGrantedOrGone(Response response) {
        if (response.status() == 410) {
            assertThat(response.error()).isEqualTo("session_gone");
        } else {
            assertThat(SessionClient.granted(response)).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "wait"})
    @DisplayName("★32 DeleteAbortsLongPollWait: at once, not at the end of the wait, and the wait gets 410")
    void deletingEndsALongPoll(String how) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                SessionClient deleter = waiter.again();
                LineClient looker = gateway.client()) {
            holder.lock("job");
            beginToWait(waiter, how, "job", 600);
            looker.awaitWaiters("job", 1);
            assertThat(deleter.delete().status()).isEqualTo(204);
            Response aborted = waiter.answer();
            assertThat(aborted.status()).isEqualTo(410);
            assertThat(aborted.error()).isEqualTo("session_gone");
            looker.awaitWaiters("job", 0);
        }
    }

    private static void beginToWait(SessionClient waiter, String how, String key, int seconds) throws Exception {
        if (how.equals("wait")) {
            assertThat(waiter.enqueue(key).outcome()).isEqualTo("queued");
            waiter.begin("/v1/locks/" + key + "/wait", "{\"timeout_s\":" + seconds + "}");
        } else {
            waiter.beginLock(key, seconds);
        }
    }

    @Test
    @DisplayName("★33 LongWaitNotIdleSwept: a wait for longer than twice the idle timeout")
    void aSessionIsNotIdleWhileItWaits() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-session-idle-timeout=1");
                LineClient holder = gateway.client();
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            holder.lock("job");
            Response waited = waiter.lock("job", "{\"acquire_timeout_s\":5}");
            assertThat(waited.status()).isEqualTo(200);
            assertThat(waited.outcome()).isEqualTo("timeout");
            assertThat(waiter.post("/v1/locks/job/release", ANY_TOKEN).status()).isEqualTo(404);
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
    void requestsOfOneSessionRunOneAfterTheOther() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                SessionClient waits = SessionClient.of(gateway.httpPort());
                SessionClient stands = waits.again();
                SessionClient pings = waits.again()) {
            HeldGrant held = holder.lock("job");
            waits.beginLock("job", 30);
            holder.awaitWaiters("job", 1);
            stands.beginLock("free", 0);
            stands.expectNoAnswerYet();
            assertThat(pings.ping().status()).isEqualTo(204);
            holder.release(held);
            assertThat(SessionClient.granted(waits.answer())).isNotEqualTo(SessionClient.granted(stands.answer()));
        }
    }

    @Test
    void aRequestThatStandsInLineIsNotShortenedByItsClientsGoing() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                SessionClient waits = SessionClient.of(gateway.httpPort())) {
            HeldGrant held = holder.lock("job");
            waits.beginLock("job", 30);
            holder.awaitWaiters("job", 1);
            try (SessionClient gone = waits.again()) {
                gone.beginLock("free", 0);
                gone.expectNoAnswerYet();
            }
            holder.release(held);
            waits.release("job", SessionClient.granted(waits.answer()));
            try (SessionClient other = SessionClient.of(gateway.httpPort())) {
                assertThat(SessionClient.granted(other.lock("free", "{\"acquire_timeout_s\":10}")))
                        .as("the vanished client's grant was given back")
                        .isNotEmpty();
            }
        }
    }

    @Test
    @DisplayName("★36 OpsAfterSessionDeleteReturn410: all five operations, whatever their tokens")
    void everyOperationOfADeletedSessionIsGone() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient deleted = SessionClient.of(gateway.httpPort())) {
            deleted.lock("job");
            assertThat(deleted.delete().status()).isEqualTo(204);
            for (String kind : List.of("locks", "semaphores")) {
                for (String operation : List.of("", "/release", "/renew", "/enqueue", "/wait")) {
                    String body = operation.startsWith("/re") ? ANY_TOKEN : "{\"limit\":2}";
                    Response response = deleted.post("/v1/" + kind + "/job" + operation, body);
                    assertThat(response.status()).as(operation).isEqualTo(410);
                    assertThat(response.error()).as(operation).isEqualTo("session_gone");
                }
            }
        }
    }

    @Test
    @DisplayName("BeginRequestAfterClose: a request that stood in line when its session was deleted changes nothing")
    void aRequestThatStoodInLineIsRefusedAfterTheDeletion() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                SessionClient waits = SessionClient.of(gateway.httpPort());
                SessionClient stands = waits.again();
                SessionClient deletes = waits.again()) {
            holder.lock("job");
            waits.beginLock("job", 600);
            holder.awaitWaiters("job", 1);
            stands.beginLock("free", 0);
            stands.expectNoAnswerYet();
            assertThat(deletes.delete().status()).isEqualTo(204);
            assertThat(waits.answer().status()).isEqualTo(410);
            assertThat(stands.answer().status()).isEqualTo(410);
            holder.lock("free");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "wait"})
    @DisplayName("★37 WaitNaturalTimeoutReturnsTimeoutNot410: 200 with the status timeout")
    void aWaitThatEndsByItsTimeoutSaysSo(String how) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = gateway.client();
                SessionClient waiter = SessionClient.of(gateway.httpPort())) {
            holder.lock("job");
            beginToWait(waiter, how, "job", 1);
            Response response = waiter.answer();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("{\"status\":\"timeout\"}\n");
            holder.awaitWaiters("job", 0);
        }
    }

    @Test
    @DisplayName("IdleSweepReleasesHeldLocks")
    void anIdleSessionEndsAndFreesWhatItHeld() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-session-idle-timeout=1");
                LineClient looker = gateway.client();
                SessionClient idle = SessionClient.of(gateway.httpPort());
                SessionClient pinging = SessionClient.of(gateway.httpPort())) {
            idle.lock("idle");
            pinging.lock("kept");
            String unused = Polling.until(
                    () -> {
                        assertThat(pinging.ping().status()).isEqualTo(204);
                        return looker.ask("stats", "_", "_");
                    },
                    stats -> !stats.contains("\"key\":\"idle\",\"owner_conn_id\""));
            assertThat(idle.ping().status()).isEqualTo(410);
            assertThat(pinging.renew("kept", "x", 1).status()).isEqualTo(404);
        }
    }

    @Test
    void anIdleTimeoutOfZeroIsReportedAsSuch() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--http-session-idle-timeout=0");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response created = http.ask("POST", "/v1/sessions", "", "");
            assertThat(created.body()).endsWith(",\"idle_timeout_s\":0}\n");
        }
    }

    @Test
    @DisplayName("StatsConnectionsIncludesSessions")
    void sessionsCountAsConnections() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient looker = gateway.client();
                SessionClient one = SessionClient.of(gateway.httpPort());
                SessionClient two = SessionClient.of(gateway.httpPort())) {
            looker.awaitStats("\"connections\":3,");
            assertThat(one.http().get("/v1/stats").body()).startsWith("{\"connections\":3,");
            assertThat(two.delete().status()).isEqualTo(204);
            assertThat(one.http().get("/v1/stats").body()).startsWith("{\"connections\":2,");
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
}
