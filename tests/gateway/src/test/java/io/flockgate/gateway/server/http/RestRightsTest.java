package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Sessions, lists of keys and changes of the file, over the REST API. */
@Execution(ExecutionMode.CONCURRENT)
class RestRightsTest {
    private static final Pattern KEY = Pattern.compile("\"key\":\"([^\"]+)\"");
    private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

    @TempDir
    Path directory;

    private TestGateway start(Map<String, List<String>> tokens) throws IOException {
        return TestGateway.startWithHttp("--max-locks=5000", TokensFixture.flag(directory, tokens));
    }

    private static String session(RawHttp http, String token) throws IOException {
        Response created = http.ask("POST", "/v1/sessions", TokensFixture.bearer(token), "");
        assertThat(created.status()).isEqualTo(200);
        return created.member("session_id");
    }

    @Test
    void aSessionBelongsToTheTokenThatBeganIt() throws Exception {
        try (TestGateway gateway = start(Map.of("one", List.of("lock:*"), "other", List.of("all")));
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String session = session(http, "one");
            String name = SessionClient.header(session);
            for (String verb : List.of("enqueue", "release", "renew", "wait")) {
                String headers = TokensFixture.bearer("other") + name;
                expectOtherToken(verb + "Lock", http.ask("POST", "/v1/locks/k/" + verb, headers, ""));
            }
            String path = "/v1/sessions/" + session;
            String other = TokensFixture.bearer("other");
            expectOtherToken("pingSession", http.ask("POST", path + "/ping", other, ""));
            expectOtherToken("deleteSession", http.ask("DELETE", path, other, ""));
            Response taken = http.ask("POST", "/v1/locks/k", TokensFixture.bearer("one") + name, "{}");
            String token = SessionClient.granted(taken);
            Response released = http.ask(
                    "POST", "/v1/locks/k/release", TokensFixture.bearer("one") + name, "{\"token\":\"" + token + "\"}");
            assertThat(released.status()).isEqualTo(204);
            assertThat(http.ask("DELETE", "/v1/sessions/" + session, TokensFixture.bearer("one"), "")
                            .status())
                    .isEqualTo(204);
        }
    }

    private static void expectOtherToken(String operation, Response response) throws IOException {
        assertThat(response.status()).as("%s", response).isEqualTo(403);
        assertThat(response.body())
                .isEqualTo("{\"error\":\"forbidden\",\"detail\":\"the session belongs to another token\"}\n");
        assertThat(ApiDocument.published().expect(operation, response)).isEqualTo("403 forbidden");
    }

    @Test
    void aKeyShowsTheNamesOfItsClientsTokens() throws Exception {
        Map<String, List<String>> tokens =
                Map.of("web", List.of("lock:*"), "batch", List.of("lock:*"), "reader", List.of("read"));
        try (TestGateway gateway = start(tokens);
                RawHttp http = RawHttp.of(gateway.httpPort());
                LineClient waiter = gateway.client()) {
            String headers = TokensFixture.bearer("web") + SessionClient.header(session(http, "web"));
            String grant = SessionClient.granted(http.ask("POST", "/v1/locks/k", headers, "{}"));
            assertThat(waiter.ask("auth", "_", TokensFixture.secretOf("batch"))).isEqualTo("ok");
            assertThat(waiter.ask("e", "k", "")).isEqualTo("queued");
            Response key = http.ask("GET", "/v1/keys/k", TokensFixture.bearer("reader"), "");
            assertThat(ApiDocument.published().expect("getKey", key)).isEqualTo("200");
            JsonObject shown = new JsonObject(key.body());
            assertThat(shown.getJsonArray("holders").getJsonObject(0).getString("token_name"))
                    .isEqualTo("web");
            assertThat(shown.getJsonArray("queue").getJsonObject(0).getString("token_name"))
                    .isEqualTo("batch");
            assertThat(key.body()).doesNotContain(grant, "secret-of-");
        }
    }

    /**
     * Hundreds of keys that the reader may not see must not cause empty pages, and their names must
     * not be in a cursor.
     */
    @Test
    void listsAndStatisticsShowOnlyWhatMayBeSeen() throws Exception {
        Map<String, List<String>> tokens =
                Map.of("all", List.of("all"), "ci", List.of("read:ci/*"), "two", List.of("read:ci/*", "read:cd/*"));
        try (TestGateway gateway = start(tokens);
                RawHttp http = RawHttp.of(gateway.httpPort());
                LineClient client = gateway.client()) {
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("all"))).isEqualTo("ok");
            // A connection without a first request would be closed meanwhile.
            assertThat(http.get("/health").status()).isEqualTo(200);
            for (int i = 0; i < 1500; i++) {
                client.lock("prod/" + i);
            }
            for (int i = 0; i < 5; i++) {
                client.lock("ci/" + i);
                client.lock("cd/" + i);
            }
            assertThat(listed(http, "two", "limit=3"))
                    .containsExactlyInAnyOrder(
                            "ci/0", "ci/1", "ci/2", "ci/3", "ci/4", "cd/0", "cd/1", "cd/2", "cd/3", "cd/4");
            assertThat(listed(http, "two", "limit=3&prefix=ci")).hasSize(5).allMatch(key -> key.startsWith("ci/"));
            assertThat(listed(http, "two", "prefix=prod")).isEmpty();
            assertThat(listed(http, "ci", "limit=2")).hasSize(5).allMatch(key -> key.startsWith("ci/"));
            assertThat(listed(http, "all", "limit=1000")).hasSize(1510);
            String stats =
                    http.ask("GET", "/v1/stats", TokensFixture.bearer("ci"), "").body();
            assertThat(KEY.matcher(stats).results().map(found -> found.group(1)))
                    .containsExactlyInAnyOrder("ci/0", "ci/1", "ci/2", "ci/3", "ci/4");
        }
    }

    /** All pages, each of which but the last has a key. */
    private static List<String> listed(RawHttp http, String token, String query) throws IOException {
        List<String> keys = new ArrayList<>();
        String after = "";
        do {
            Response page = http.ask("GET", "/v1/keys?" + query + after, TokensFixture.bearer(token), "");
            assertThat(page.status()).isEqualTo(200);
            int before = keys.size();
            KEY.matcher(page.body()).results().forEach(found -> keys.add(found.group(1)));
            Matcher next = NEXT.matcher(page.body());
            boolean more = next.find();
            after = more ? "&after=" + next.group(1) : "";
            if (more && !token.equals("all")) {
                assertThat(keys.size()).isGreaterThan(before);
                String cursor = new String(Base64.getUrlDecoder().decode(next.group(1)), StandardCharsets.UTF_8);
                assertThat(keys).contains(cursor);
            }
        } while (!after.isEmpty());
        return keys;
    }

    @Test
    void aChangedFileCountsWithoutARestart() throws Exception {
        try (TestGateway gateway = start(Map.of("one", List.of("read")));
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("GET", "/v1/keys", TokensFixture.bearer("one"), "")
                            .status())
                    .isEqualTo(200);
            Path next = Files.writeString(
                    directory.resolve("next.json"), TokensFixture.file(Map.of("two", List.of("read"))));
            Files.move(
                    next,
                    directory.resolve("tokens.json"),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
            long end = System.nanoTime() + LineClient.PATIENCE.toNanos();
            int status = 0;
            while (status != 200 && System.nanoTime() < end) {
                status = http.ask("GET", "/v1/keys", TokensFixture.bearer("two"), "")
                        .status();
            }
            assertThat(status).isEqualTo(200);
            assertThat(http.ask("GET", "/v1/keys", TokensFixture.bearer("one"), "")
                            .status())
                    .isEqualTo(401);
        }
    }
}
