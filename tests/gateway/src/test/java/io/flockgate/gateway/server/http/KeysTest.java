package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of keys, read page by page. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeysTest {
    private static final Pattern KEY = Pattern.compile("\\{\"key\":\"[^\"]*\",(?:\"key_escaped\":\"([^\"]+)\",)?");

    private TestGateway gateway;
    private SessionClient client;

    @BeforeAll
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        client = SessionClient.of(gateway.httpPort());
        for (int i = 0x80; i < 0xc0; i++) {
            client.lock("page%%2F%%%02X".formatted(i));
        }
        client.lock("other");
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private Response keys(String query) throws Exception {
        return client.http().get("/v1/keys?" + query);
    }

    private static List<String> escaped(Response page) {
        return KEY.matcher(page.body())
                .results()
                .map(found -> String.valueOf(found.group(1)))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 1000})
    void pagesFollowedToTheirEndHaveEachKeyOnce(int limit) throws Exception {
        List<String> found = new ArrayList<>();
        String after = "";
        do {
            Response page = keys("prefix=page%2F&limit=" + limit + after);
            assertThat(page.status()).as("%s", page).isEqualTo(200);
            assertThat(escaped(page)).hasSizeLessThanOrEqualTo(limit);
            found.addAll(escaped(page));
            after = page.member("next").isEmpty() ? "" : "&after=" + page.member("next");
            assertThat(found).hasSizeLessThanOrEqualTo(64);
        } while (!after.isEmpty());
        assertThat(found).hasSize(64).doesNotHaveDuplicates().contains("page%2F%80", "page%2F%BF");
    }

    @Test
    void keysAreFoundByWhoHasThemAndHowTheyAre() throws Exception {
        try (LineClient named = gateway.client()) {
            named.send("hello\nci-7\n\nl\nfound/a\n0\ne\nother\n\nsl\nfound/pool\n0 3\n");
            assertThat(named.line()).isEqualTo("ok");
            assertThat(named.line()).startsWith("ok ");
            assertThat(named.line()).isEqualTo("queued");
            assertThat(named.line()).startsWith("ok ");
            assertThat(names("name=ci-7")).containsExactlyInAnyOrder("found/a", "other", "found/pool");
            assertThat(names("name=ci-7&prefix=found%2F")).containsExactlyInAnyOrder("found/a", "found/pool");
            assertThat(names("name=ci-7&kind=semaphore")).containsExactly("found/pool");
            assertThat(names("waiting=true")).containsExactly("other");
            assertThat(names("address=127.0.0.1&limit=1000")).hasSize(64 + 3);
            assertThat(names("address=192.0.2.1&limit=1000")).isEmpty();
            assertThat(names("gateway=nobody&limit=1000")).isEmpty();
            assertThat(names("held_longer_than_s=3600")).isEmpty();
            assertThat(names("waiting_longer_than_s=0&sort=longest_wait")).containsExactly("other");
            assertThat(names("waiting_longer_than_s=3600")).isEmpty();
            assertThat(names("held=true&limit=1000")).hasSize(64 + 3);
            assertThat(names("held=false")).isEmpty();
            assertThat(names("sort=longest_queue&limit=1")).containsExactly("other");
            Response all = keys("sort=longest_hold&limit=2");
            assertThat(all.body()).endsWith("],\"matching\":67}\n");
            assertThat(names("sort=longest_hold&limit=1000")).hasSize(67);
            // The storage may have granted both at the same moment.
            assertThat(names("sort=longest_hold&limit=1000").subList(65, 67))
                    .containsExactlyInAnyOrder("found/a", "found/pool");
        }
    }

    private List<String> names(String query) throws Exception {
        Response page = keys(query);
        assertThat(page.status()).as("%s", page).isEqualTo(200);
        JsonArray keys = new JsonObject(page.body()).getJsonArray("keys");
        return keys.stream().map(each -> ((JsonObject) each).getString("key")).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=1001",
                "limit=",
                "limit",
                "limit=%31x",
                "limit=-1",
                "limit=99999999999",
                "after=a",
                "after=",
                "after=%20",
                "prefix=%zz",
                "kind=x",
                "held=1",
                "waiting=",
                "held_longer_than_s=x",
                "name=",
                "address=%FF",
                "gateway=",
                "sort=name",
                "sort=longest_hold&after=cG9vbA"
            })
    void aQueryThatMakesNoSenseIsABadRequest(String query) throws Exception {
        Response refused = keys(query);
        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
        assertThat(refused.error()).isEqualTo("bad_request");
    }

    @Test
    void aKeyIsFoundByItsEscapedNameAndShowsNoSecret() throws Exception {
        Response key = client.http().get("/v1/keys/page%2F%80");
        assertThat(key.status()).isEqualTo(200);
        assertThat(key.member("key_escaped")).isEqualTo("page%2F%80");
        assertThat(key.member("via")).isEqualTo("session");
        assertThat(key.member("fence")).matches("[0-9a-f]{16}");
        assertThat(key.body()).doesNotContain("token", client.session());
        assertThat(client.http().get("/v1/keys/page%2F%C0").body()).isEqualTo("{\"error\":\"unknown_key\"}\n");
    }
}
