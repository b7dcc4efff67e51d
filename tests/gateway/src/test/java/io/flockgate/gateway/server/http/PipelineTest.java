package io.flockgate.gateway.server.http;

import static io.flockgate.gateway.server.http.RawHttp.GET;
import static io.flockgate.gateway.server.http.RawHttp.OK;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Answers to requests that a client sends before it has the answers to earlier ones. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PipelineTest {
    @RegisterExtension
    final HttpGateway gateway = new HttpGateway();

    @Test
    void aClientMayKeepAFewWaitingRequestsAheadForAsLongAsItLikes() throws Exception {
        int rounds = 600;
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("ahead");
            client.beginLock("ahead", 600);
            client.beginLock("ahead", 600);
            for (int i = 0; i < rounds; i++) {
                looker.awaitWaiters("ahead", 1);
                client.beginLock("ahead", 600);
                holder.release("ahead", token);
                token = SessionClient.granted(client.answer());
            }
        }
    }

    @Test
    void allThatIsSentAheadOfALongPollIsAnsweredBehindIt() throws Exception {
        int ahead = 50_000;
        try (SessionClient holder = SessionClient.of(gateway.httpPort());
                SessionClient client = SessionClient.of(gateway.httpPort());
                LineClient looker = LineClient.connect(gateway.port())) {
            String token = holder.lock("flooded");
            client.beginLock("flooded", 600);
            looker.awaitWaiters("flooded", 1);
            Thread sending = Thread.ofVirtual().start(() -> client.http().sendInVain(GET.repeat(ahead)));
            holder.release("flooded", token);
            assertThat(SessionClient.granted(client.answer())).isNotEmpty();
            for (int i = 0; i < ahead; i++) {
                assertThat(client.http().response().body()).isEqualTo(OK);
            }
            assertThat(sending.join(LineClient.PATIENCE)).isTrue();
        }
    }
}
