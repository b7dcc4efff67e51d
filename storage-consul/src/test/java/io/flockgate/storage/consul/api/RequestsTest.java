package io.flockgate.storage.consul.api;

import static io.flockgate.testsupport.Reply.hang;
import static io.flockgate.testsupport.Reply.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ecwid.consul.transport.AbstractHttpTransport;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The form of the requests that Consul receives, and their order when there are too many. */
class RequestsTest {
    private static final String INDEX = "X-Consul-Index: 5";

    private final ScriptedServer server = new ScriptedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private ConsulOptions options(TokenSource token, List<String> scope, int watchBudget) {
        ConsulOptions plain = TestOptions.at(server.uri().getAuthority());
        return new ConsulOptions(plain.address(), token, plain.tls(), scope, watchBudget);
    }

    private EcwidConsulApi api() {
        return new EcwidConsulApi(
                new SystemEnvironment(), TestOptions.at(server.uri().getAuthority()));
    }

    @Test
    void keysAreEncodedAndQueriesAreNot() throws InterruptedException {
        server.reply(status(404, "", INDEX)).reply(status(404, "", INDEX));
        try (var api = api()) {
            assertThat(api.list("a b/ö%?/..//", Consistency.CONSISTENT).entries())
                    .isEmpty();
            assertThat(api.watch("p/", -1, Duration.ofSeconds(15)).entries()).isEmpty();
        }

        assertThat(server.next().line()).isEqualTo("GET /v1/kv/a%20b/%C3%B6%25%3F/..//?recurse&consistent HTTP/1.1");
        assertThat(server.next().line())
                .isEqualTo("GET /v1/kv/p/?recurse&index=18446744073709551615&wait=15s HTTP/1.1");
    }

    @Test
    void sessionsAreWrittenAsConsulReadsThem() throws InterruptedException {
        server.reply(status(200, "{\"ID\":\"i\"}"));
        try (var api = api()) {
            assertThat(api.createSession("n", Duration.ofMillis(10_500))).isEqualTo("i");
        }

        assertThat(server.next().body())
                .isEqualTo(
                        "{'Name':'n','TTL':'10500ms','Behavior':'release','LockDelay':'0s','NodeChecks':[],'ServiceChecks':[]}"
                                .replace('\'', '"'));
    }

    @Test
    void theTokenGoesIntoTheHeaderOnlyAndIntoNoLog() throws InterruptedException {
        server.reply(status(200, "[{\"ID\":\"a\"}]")).reply(status(403, "Permission denied"));
        Logger log = Logger.getLogger(AbstractHttpTransport.class.getName());
        List<String> lines = new CopyOnWriteArrayList<>();
        log.setLevel(Level.ALL);
        log.setFilter(line -> !lines.add(line.getMessage()));
        try (var api = new EcwidConsulApi(new SystemEnvironment(), options(TokenSource.of("s3cret"), List.of(), 1))) {
            assertThat(api.renewSession("a")).isTrue();
            assertThat(api.txn(List.of())).asString().doesNotContain("s3cret");
        } finally {
            log.setLevel(null);
            log.setFilter(null);
        }
        assertThat(String.join("\n", lines)).contains("/v1/session/renew/a").doesNotContain("s3cret");
        ReceivedRequest request = server.next();
        assertThat(request.headers("X-Consul-Token")).containsExactly("s3cret");
        assertThat(request.line()).doesNotContain("s3cret");
        assertThat(options(TokenSource.of("s3cret"), List.of(), 1)).asString().doesNotContain("s3cret");
    }

    @Test
    void aRequestHasNoHeaderThatItDoesNotNeed() throws InterruptedException {
        server.reply(status(200, "[{\"ID\":\"a\"}]"));
        try (var api = api()) {
            assertThat(api.renewSession("a/b")).isTrue();
        }

        ReceivedRequest request = server.next();
        assertThat(request.line()).isEqualTo("PUT /v1/session/renew/a%2Fb HTTP/1.1");
        assertThat(request.headers("X-Consul-Token")).isEmpty();
        assertThat(request.headers("Cookie")).isEmpty();
        assertThat(request.headers("Accept-Encoding")).isEmpty();
        assertThat(request.headers("User-Agent")).containsExactly("flockgate");
    }

    @Test
    void aRefusedTokenIsReadAgainAtOnce(@TempDir Path directory) throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("token"), "old\n");
        server.reply(status(403, "ACL not found")).reply(status(200, "{\"Results\":[]}"));
        server.reply(status(409, "{\"Errors\":[{\"OpIndex\":0,\"What\":\"Permission denied\"}]}"));
        server.reply(status(200, "{\"Results\":[]}"));
        try (var api = new EcwidConsulApi(
                new SystemEnvironment(), options(TokenSource.file(new SystemEnvironment(), file), List.of(), 1))) {
            assertThat(api.txn(List.of())).isInstanceOf(TxnOutcome.NotDone.class);
            Files.writeString(file, "new");
            assertThat(api.txn(List.of())).isInstanceOf(TxnOutcome.Committed.class);
            assertThat(api.txn(List.of())).isInstanceOf(TxnOutcome.NotDone.class);
            Files.writeString(file, "newer");
            assertThat(api.txn(List.of())).isInstanceOf(TxnOutcome.Committed.class);
        }

        var tokens = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            tokens.addAll(server.next().headers("X-Consul-Token"));
        }
        assertThat(tokens).containsExactly("old", "new", "new", "newer");
    }

    @Test
    void neitherRedirectsNorCookiesAreFollowed() throws InterruptedException {
        server.reply(status(307, "", "Location: /elsewhere", "Set-Cookie: a=b")).reply(status(200, "[{\"ID\":\"a\"}]"));
        try (var api = api()) {
            assertThat(api.txn(List.of())).isInstanceOf(TxnOutcome.NotDone.class);
            assertThat(server.next().line()).contains("/v1/txn");
            assertThat(api.renewSession("a")).isTrue();
        }

        ReceivedRequest request = server.next();
        assertThat(request.line()).contains("/v1/session/renew/a");
        assertThat(request.headers("Cookie")).isEmpty();
    }

    /** A stand-in for Consul Enterprise, which records the requests. */
    @Test
    void everyRequestNamesItsScope() throws InterruptedException {
        var scoped = options(TokenSource.none(), List.of("dc=a", "ns=b", "partition=c"), 1);
        List<String> made = new ArrayList<>();
        try (var api = new EcwidConsulApi(new SystemEnvironment(), scoped)) {
            List<Runnable> calls = List.of(
                    () -> api.list("p/", Consistency.DEFAULT),
                    () -> api.list("p/", Consistency.CONSISTENT),
                    () -> api.watch("p/", 5, Duration.ofSeconds(1)),
                    () -> api.txn(List.of(new KvOp.GetTree("p/"))),
                    () -> api.createSession("gateway", Duration.ofSeconds(10)),
                    () -> api.renewSession("s"),
                    () -> api.destroySession("s"),
                    () -> assertThat(api.nodeIndex("n")).isZero());
            for (Runnable call : calls) {
                server.reply(status(403, "Permission denied"));
                tryTo(call);
                made.add(server.next().line());
            }
        }
        assertThat(made)
                .hasSize(8)
                .allMatch(line -> line.endsWith("dc=a&ns=b&partition=c HTTP/1.1"))
                .contains(
                        "GET /v1/kv/p/?recurse&consistent&dc=a&ns=b&partition=c HTTP/1.1",
                        "GET /v1/catalog/node/n?consistent&dc=a&ns=b&partition=c HTTP/1.1",
                        "PUT /v1/txn?dc=a&ns=b&partition=c HTTP/1.1",
                        "PUT /v1/session/create?dc=a&ns=b&partition=c HTTP/1.1");
    }

    private static void tryTo(Runnable call) {
        try {
            call.run();
        } catch (ConsulException e) {
            assertThat(e.kind()).isEqualTo(ConsulException.FailureKind.DENIED);
        }
    }

    @Test
    void renewalsComeBeforeEverythingElseAfterARefusal() throws InterruptedException {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        // Its clock stands still, because on a slow machine the pause would end before the next
        // request.
        Environment environment = new SystemEnvironment(new FakeClock()::nanos) {
            @Override
            public void sleep(long nanos) throws InterruptedException {
                waits.countDown();
                over.await();
            }
        };
        try (EcwidConsulApi api =
                new EcwidConsulApi(environment, TestOptions.at(server.uri().getAuthority()))) {
            server.reply(status(429, "rate limit exceeded"))
                    .reply(status(200, "[{\"ID\":\"s\"}]"))
                    .reply(status(200, "{\"Results\":[]}"));
            List<KvOp> write = List.of(new KvOp.CheckNotExists("k"));
            assertThat(api.txn(write)).isInstanceOf(TxnOutcome.NotDone.class);
            CompletableFuture<TxnOutcome> later = CompletableFuture.supplyAsync(() -> api.txn(write));
            waits.await();

            assertThat(api.renewSession("own")).isTrue();
            over.countDown();

            assertThat(later.join()).isInstanceOf(TxnOutcome.Committed.class);
            assertThat(server.next().line()).contains("/v1/txn");
            assertThat(server.next().line()).contains("/v1/session/renew/own");
            assertThat(server.next().line()).contains("/v1/txn");
        }
    }

    @Test
    void aWatchOverTheBudgetIsRefusedAndCommandsGoOn() throws InterruptedException {
        try (EcwidConsulApi api = new EcwidConsulApi(
                new SystemEnvironment(),
                options(TokenSource.none(), List.of(), 1),
                new BoundedHttpClient.Limits(10_000, 20_000, 20_000, 20_000, 100, 10_000))) {
            server.reply(hang());
            CompletableFuture<KvList> waiting =
                    CompletableFuture.supplyAsync(() -> api.watch("k", 1, Duration.ofSeconds(60)));
            assertThat(server.next().line()).startsWith("GET /v1/kv/k");
            assertThatThrownBy(() ->
                            assertThat(api.watch("k", 1, Duration.ofSeconds(1))).isNull())
                    .isInstanceOfSatisfying(
                            ConsulException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NOT_DONE));
            server.reply(status(200, "{\"Results\":[]}"));
            assertThat(api.txn(List.of(new KvOp.CheckNotExists("k")))).isInstanceOf(TxnOutcome.Committed.class);
            assertThat(waiting).isNotDone();
        }
    }
}
