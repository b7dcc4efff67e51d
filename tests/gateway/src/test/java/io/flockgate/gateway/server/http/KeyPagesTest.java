package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The holders of one key, read page by page, and its queue. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeyPagesTest {
    private static final int SLOTS = 120;
    private static final String POOL = "/v1/semaphores/pool";
    private static final String LIMIT = "{\"limit\":" + SLOTS + "}";

    private TestGateway gateway;
    private SessionClient client;
    private final List<String> fences = new ArrayList<>();

    @BeforeAll
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        client = SessionClient.of(gateway.httpPort());
        for (int i = 0; i < SLOTS; i++) {
            fences.add(SessionClient.granted(client.post(POOL, LIMIT)).substring(0, 16));
        }
        for (int i = 0; i < 3; i++) {
            try (SessionClient waiter = SessionClient.of(gateway.httpPort())) {
                assertThat(waiter.post(POOL + "/enqueue", LIMIT).outcome()).isEqualTo("queued");
            }
        }
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private JsonObject pool(String query) throws Exception {
        Response response = client.http().get("/v1/keys/pool" + query);
        assertThat(response.status()).as("%s", response).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static List<String> shown(JsonObject page) {
        JsonArray holders = page.getJsonArray("holders");
        return holders.stream()
                .map(each -> ((JsonObject) each).getString("fence"))
                .toList();
    }

    @Test
    void aPageHasAHundredHoldersUnlessAskedOtherwise() throws Exception {
        JsonObject page = pool("");
        assertThat(shown(page)).isEqualTo(fences.subList(0, 100));
        assertThat(page.getInteger("holder_count")).isEqualTo(SLOTS);
        assertThat(page.getInteger("waiter_count")).isEqualTo(3);
        assertThat(page.getJsonArray("queue")).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 60, 119, 120, 1000})
    void pagesFollowedToTheirEndHaveEachHolderOnce(int limit) throws Exception {
        List<String> found = new ArrayList<>();
        JsonObject page = pool("?limit=" + limit);
        found.addAll(shown(page));
        while (page.containsKey("next")) {
            assertThat(found).hasSizeLessThan(SLOTS);
            page = pool("?limit=" + limit + "&after=" + page.getString("next"));
            assertThat(shown(page)).hasSizeLessThanOrEqualTo(limit);
            found.addAll(shown(page));
        }
        assertThat(found).isEqualTo(fences);
    }

    @Test
    void everyPageShowsTheBeginningOfTheQueue() throws Exception {
        for (String query : List.of("?limit=2", "?limit=2&after=" + fences.get(50))) {
            JsonObject page = pool(query);
            assertThat(page.getJsonArray("queue")).hasSize(2);
            assertThat(page.getJsonArray("queue").getJsonObject(0).getInteger("position"))
                    .isEqualTo(1);
            assertThat(page.getInteger("waiter_count")).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"limit=0", "limit=1001", "limit=", "after=cG9vbA", "after=", "after=18A6C3F2B91D4007", "x=%zz"})
    void aQueryThatMakesNoSenseIsABadRequest(String query) throws Exception {
        Response refused = client.http().get("/v1/keys/pool?" + query);
        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
        assertThat(refused.error()).isEqualTo("bad_request");
    }
}
