package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many sessions, and many that wait. */
class RestLoadTest {
    private static final int POLLS = 1000;
    private static final int SESSIONS = 10_000;

    @Test
    void aThousandLongPollsAreServedInTheOrderTheyCame() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=2");
                LineClient holder = gateway.client()) {
            HeldGrant held = holder.lock("job");
            List<SessionClient> waiters = new ArrayList<>();
            for (int i = 0; i < POLLS; i++) {
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                waiters.add(waiter);
                waiter.beginLock("job", 600);
                holder.awaitWaiters("job", i + 1);
            }
            holder.release(held);
            for (SessionClient waiter : waiters) {
                waiter.release("job", SessionClient.granted(waiter.answer()));
                waiter.close();
            }
            holder.awaitStats("\"idle_locks\":\\[\\{\"key\":\"job\"");
        }
    }

    @Test
    void aThousandLongPollsThatVanishAtOnceLeaveTheServerInOrder() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=2");
                LineClient holder = gateway.client()) {
            HeldGrant held = holder.lock("job");
            List<SessionClient> waiters = new ArrayList<>();
            for (int i = 0; i < POLLS; i++) {
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                waiters.add(waiter);
                waiter.beginLock("job", 600);
            }
            holder.awaitWaiters("job", POLLS);
            for (SessionClient waiter : waiters) {
                waiter.http().reset();
            }
            holder.awaitWaiters("job", 0);
            holder.release(held);
            holder.lock("job");
        }
    }

    @Test
    void tenThousandSessionsAreMadeAndDeleted() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--max-locks=100000", "--http-session-idle-timeout=600");
                LineClient looker = gateway.client();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            List<String> sessions = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(SessionClient.newSession(http));
            }
            looker.awaitStats("\"connections\":" + (SESSIONS + 1) + ",");
            for (int i = 0; i < SESSIONS; i++) {
                String header = SessionClient.header(sessions.get(i));
                Response held = http.ask("POST", "/v1/locks/job-" + i, header, "{\"lease_ttl_s\":600}");
                assertThat(SessionClient.granted(held)).isNotEmpty();
            }
            assertThat(http.get("/v1/stats").body()).contains("\"job-0\"", "\"job-" + (SESSIONS - 1) + "\"");
            for (String session : sessions) {
                assertThat(http.ask("DELETE", "/v1/sessions/" + session, "", "").status())
                        .isEqualTo(204);
            }
            looker.awaitStats("\"connections\":1,\"locks\":\\[\\],");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void manyConnectionsAtFullSpeedHoldOneKeyOneAtATime(int eventLoops) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=" + eventLoops);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                running.add(threads.submit(() -> {
                    hold(gateway.httpPort(), inside, served);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        assertThat(served).hasValue(120 * 20);
    }

    private static void hold(int port, AtomicInteger inside, AtomicInteger served) throws IOException {
        try (SessionClient client = SessionClient.of(port)) {
            for (int n = 0; n < 20; n++) {
                boolean twoPhase = n % 2 == 0;
                if (twoPhase) {
                    assertThat(client.enqueue("hot").outcome()).isIn("queued", "acquired");
                }
                Response held = twoPhase ? client.await("hot", 60) : client.lock("hot", "{\"acquire_timeout_s\":60}");
                String token = SessionClient.granted(held);
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                served.incrementAndGet();
                inside.decrementAndGet();
                client.release("hot", token);
            }
        }
    }
}
