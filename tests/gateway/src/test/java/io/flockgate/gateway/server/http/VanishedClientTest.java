package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that disconnects strands neither a slot nor a place. */
@Execution(ExecutionMode.CONCURRENT)
class VanishedClientTest {
    private static final String NEXT = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

    @ParameterizedTest
    @CsvSource({"acquire, close, 0", "wait, reset, 0", "acquire, reset, 3"})
    void aPlaceInTheQueueIsGivenUpWhenItsClientGoes(String how, String manner, int pipelined) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient holder = LineClient.connect(gateway.port());
                SessionClient waiter = SessionClient.of(gateway.httpPort());
                SessionClient again = waiter.again()) {
            HeldGrant held = holder.lock("job");
            if (how.equals("wait")) {
                assertThat(waiter.enqueue("job").outcome()).isEqualTo("queued");
                waiter.begin("/v1/locks/job/wait", "{\"timeout_s\":600}");
            } else {
                waiter.beginLock("job", 600);
            }
            waiter.http().send(NEXT.repeat(pipelined));
            holder.awaitWaiters("job", 1);
            goAway(waiter, manner);
            holder.awaitWaiters("job", 0);
            holder.release(held);
            again.lock("job");
            assertThat(again.await("job", 0).status())
                    .as("its session lives on, without the place")
                    .isEqualTo(409);
        }
    }

    @ParameterizedTest
    @CsvSource({"half-close, 1000", "close, 1000", "reset, 10000"})
    void aPlaceBehindAFloodIsGivenUpToo(String manner, int requests) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=secret");
                LineClient holder = LineClient.connect(gateway.port());
                RawHttp waiter = RawHttp.of(gateway.httpPort())) {
            assertThat(holder.ask("auth", "_", "secret")).isEqualTo("ok");
            String key = "Authorization: Bearer secret\r\n";
            String session = waiter.ask("POST", "/v1/sessions", key, "").member("session_id");
            HeldGrant held = holder.lock("job");
            // The flood arrives while the first answer is held back, so that nothing is read when
            // the wait begins.
            waiter.send(NEXT.replace("/health", "/v1/stats")
                    + RawHttp.request(
                            "POST", "/v1/locks/job", key + SessionClient.header(session), "{\"acquire_timeout_s\":600}")
                    + NEXT.repeat(requests));
            assertThat(waiter.response().status()).isEqualTo(401);
            switch (manner) {
                case "half-close" -> {
                    waiter.halfClose();
                    waiter.expectClosed();
                }
                case "close" -> waiter.close();
                default -> waiter.reset();
            }
            holder.awaitWaiters("job", 0);
            holder.release(held);
            holder.lock("job");
        }
    }

    private static void goAway(SessionClient client, String manner) throws Exception {
        if (manner.equals("reset")) {
            client.http().reset();
        } else {
            client.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aGrantThatMeetsTheGoingOfItsClientIsGivenBack(int eventLoops) throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--event-loops=" + eventLoops);
                LineClient holder = LineClient.connect(gateway.port())) {
            for (int i = 0; i < 200; i++) {
                HeldGrant held = holder.lock("job");
                try (SessionClient waiter = SessionClient.of(gateway.httpPort())) {
                    waiter.beginLock("job", 600);
                    holder.awaitWaiters("job", 1);
                    holder.send(LineClient.frame("r", "job", held.token()));
                    goAway(waiter, i % 2 == 0 ? "close" : "reset");
                    assertThat(holder.line()).isEqualTo("ok");
                    try (RawHttp http = RawHttp.of(gateway.httpPort())) {
                        // A grant that reached the client's socket in time counts as delivered, so
                        // the session must end too.
                        assertThat(http.ask("DELETE", "/v1/sessions/" + waiter.session(), "", "")
                                        .status())
                                .isEqualTo(204);
                    }
                }
                holder.release(HeldGrant.of("job", holder.ask("l", "job", "10")));
            }
        }
    }

    @Test
    void aConnectionThatGoesWithoutARequestTakesNoSessionAlong() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                SessionClient client = SessionClient.of(gateway.httpPort());
                SessionClient again = client.again()) {
            String token = client.lock("job");
            client.http().reset();
            again.release("job", token);
        }
    }
}
