package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of keys as its readers follow it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeysTest {
    private static final Pattern KEY = Pattern.compile("\\{\"key\":\"[^\"]*\",(?:\"key_escaped\":\"([^\"]+)\",)?");

    private TestGateway gateway;
    private RestClient client;

    @BeforeAll
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        client = RestClient.of(gateway.httpPort());
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
                "prefix=%zz"
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
