package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** An operator ends grants and removes waiters, and the gateway's clients are notified. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SetFreeTest {
    private TestGateway gateway;
    private SessionClient holder;

    @BeforeAll
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        holder = SessionClient.of(gateway.httpPort());
    }

    @AfterAll
    void stop() throws Exception {
        holder.close();
        gateway.close();
    }

    private List<String> waiters(String key, int count) throws Exception {
        try (LineClient looker = gateway.client()) {
            looker.awaitWaiters(key, count);
        }
        JsonArray queue = new JsonObject(holder.http().get("/v1/keys/" + key).body()).getJsonArray("queue");
        return queue.stream().map(each -> ((JsonObject) each).getString("id")).toList();
    }

    private void remove(String key, String waiter, int status) throws Exception {
        Response answer = holder.http().ask("DELETE", "/v1/keys/" + key + "/queue/" + waiter + "?reason=why", "", "");
        assertThat(answer.status()).as("%s", answer).isEqualTo(status);
    }

    @Test
    void aLongPollAndALineEndAsAtTheirTimeout() throws Exception {
        holder.lock("a");
        try (SessionClient rest = SessionClient.of(gateway.httpPort());
                LineClient line = gateway.client()) {
            rest.beginLock("a", 600);
            String first = waiters("a", 1).getFirst();
            line.send("l\na\n600\n");
            String second = waiters("a", 2).getLast();
            remove("a", first, 204);
            assertThat(rest.answer().outcome()).isEqualTo("timeout");
            remove("a", second, 204);
            assertThat(line.line()).isEqualTo("timeout");
            remove("a", second, 404);
            assertThat(waiters("a", 0)).isEmpty();
            assertThat(line.ping()).isEqualTo("ok");
        }
    }

    @Test
    void aPlainClientLosesOnlyWhatIsReleasedAndItsConnectionWithTheLast() throws Exception {
        try (LineClient line = gateway.client()) {
            HeldGrant lock = line.lock("c", 0, 600);
            HeldGrant first = line.slot("pool", 0, 2, 600);
            HeldGrant second = line.slot("pool", 0, 2, 600);

            release(first);
            assertThat(line.ask("sn", "pool", first.token() + " 600")).isEqualTo("error");
            assertThat(line.ask("sn", "pool", second.token() + " 600")).startsWith("ok ");
            release(second);
            assertThat(line.renew(lock, 600)).startsWith("ok ");
            release(lock);
            assertThat(line.rest()).isEmpty();
        }
    }

    @Test
    void aPlainClientThatWaitsKeepsItsConnection() throws Exception {
        holder.lock("e");
        try (LineClient line = gateway.client()) {
            HeldGrant lock = line.lock("f", 0, 600);
            line.send("l\ne\n600\n");
            String waiter = waiters("e", 1).getFirst();
            release(lock);
            remove("e", waiter, 204);
            assertThat(line.line()).isEqualTo("timeout");
            assertThat(line.renew(lock, 600)).isEqualTo("error");
        }
    }

    private void release(HeldGrant grant) throws Exception {
        String path = "/v1/keys/" + grant.key() + "/holders/" + grant.token().substring(0, 16) + "?reason=why";
        assertThat(holder.http().ask("DELETE", path, "", "").status()).isEqualTo(204);
    }

    @Test
    void aClaimInTwoRequestsIsNotEnqueuedAnyMore() throws Exception {
        holder.lock("b");
        try (SessionClient rest = SessionClient.of(gateway.httpPort())) {
            assertThat(rest.enqueue("b").outcome()).isEqualTo("queued");
            remove("b", waiters("b", 1).getFirst(), 204);
            assertThat(rest.await("b", 600).error()).isEqualTo("not_enqueued");
        }
    }
}
