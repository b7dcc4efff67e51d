package io.flockgate.storage.consul.api;

import static io.flockgate.testsupport.Reply.hang;
import static io.flockgate.testsupport.Reply.raw;
import static io.flockgate.testsupport.Reply.reset;
import static io.flockgate.testsupport.Reply.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Unknown;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The outcome of a write by the answer to it: done, certainly not done, or unknown. */
class FailuresTest {
    /** Limits that no test waits for. */
    private static final BoundedHttpClient.Limits PATIENT =
            new BoundedHttpClient.Limits(10_000, 20_000, 20_000, 20_000, 10_000, 10_000);

    /** Limits of the tests that wait for their end. */
    private static final BoundedHttpClient.Limits QUICK = new BoundedHttpClient.Limits(500, 300, 300, 300, 300, 10_000);

    private static final List<KvOp> WRITE = List.of(new KvOp.Cas("k", 0, new byte[0], 0));

    private final ScriptedServer server = new ScriptedServer();
    private EcwidConsulApi api;

    @BeforeEach
    void start() {
        api = api(PATIENT);
    }

    private EcwidConsulApi api(BoundedHttpClient.Limits limits) {
        return new EcwidConsulApi(
                new SystemEnvironment(), TestOptions.at(server.uri().getAuthority()), limits);
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private ConsulException notDone(TxnOutcome outcome) {
        assertThat(outcome).isInstanceOf(NotDone.class);
        ConsulException cause = ((NotDone) outcome).cause();
        assertThat(cause.effect()).isEqualTo(Effect.NOT_DONE);
        return cause;
    }

    private ConsulException unknown(TxnOutcome outcome) {
        assertThat(outcome).isInstanceOf(Unknown.class);
        ConsulException cause = ((Unknown) outcome).cause();
        assertThat(cause.effect()).isEqualTo(Effect.UNKNOWN);
        return cause;
    }

    private TxnOutcome txn(Reply reply) {
        server.reply(reply);
        return api.txn(WRITE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"Errors\":null}", "{\"Results\":[", "{\"Results\":[{\"KV\":{}}]}"})
    void anAnswer200WithoutResultsIsUnknown(String body) {
        assertThat(unknown(txn(status(200, body))).kind()).isEqualTo(FailureKind.INVALID);
    }

    private TxnOutcome obstacles(String... what) {
        String errors = IntStream.range(0, what.length)
                .mapToObj(i -> "{\"OpIndex\":" + i + ",\"What\":\"" + what[i] + "\"}")
                .collect(Collectors.joining(",", "{\"Errors\":[", "]}"));
        return txn(status(409, errors));
    }

    @ParameterizedTest
    @CsvSource({"DENIED, Permission denied: token lacks permission", "INVALID, unknown KV verb x"})
    void whatNoOtherStateWouldAllowIsNoConflict(FailureKind kind, String what) {
        assertThat(notDone(obstacles("key k exists", what)).kind()).isEqualTo(kind);
        assertThat(obstacles("key Permission denied exists")).isInstanceOf(Conflict.class);
    }

    @ParameterizedTest
    @CsvSource({
        "400, Conflicting flags, INVALID",
        "403, Permission denied, DENIED",
        "403, ACL not found, DENIED",
        "404, , INVALID",
        "409, what is this, INVALID",
        "301, elsewhere, INVALID",
        "429, rate limit exceeded, LIMITED",
        "429, , LIMITED",
        "500, No cluster leader, UNAVAILABLE",
        "500, rpc error making call: No cluster leader, UNAVAILABLE",
        "500, No known Consul servers, UNAVAILABLE",
        "500, timed out enqueuing operation, UNAVAILABLE",
        "500, raft apply failed: timed out enqueuing operation, UNAVAILABLE",
        "500, node is not the leader, UNAVAILABLE",
        "500, rpc error getting client: failed to get conn: dial tcp 127.0.0.1:1->127.0.0.1:2: connect: connection"
                + " refused, UNAVAILABLE",
        "500, rpc error making call: Permission denied, DENIED",
        "500, rpc error making call: ACL not found, DENIED",
        "500, rpc error making call: RPC rate limit exceeded, LIMITED",
        "'503', 'rate limit exceeded, try again later or against a different server', LIMITED",
        "'503', 'that operation can only be performed by the leader, try again later', LIMITED"
    })
    void whatConsulSurelyDidNotDoIsNotDone(int status, String body, FailureKind kind) {
        ConsulException cause = notDone(txn(status(status, body == null ? "" : body)));

        assertThat(cause.kind()).isEqualTo(kind);
        assertThat(cause).hasMessageContaining("" + status);
    }

    @ParameterizedTest
    @CsvSource({
        "500, rpc error making call: EOF",
        "500, leadership lost while committing log",
        "500, raft apply failed: leadership lost while committing log",
        "500, rpc error making call: stream closed",
        "500, rpc error making call: i/o deadline reached",
        "500, raft is already shutdown",
        "500, 'leadership lost while committing log, node is not the leader'",
        "500, ",
        "502, bad gateway",
        "503, upstream connect error or disconnect/reset before headers",
        "504, gateway timeout",
        "408, request timeout",
        "204, "
    })
    void everyOtherAnswerIsUnknown(int status, String body) {
        unknown(txn(status(status, body == null ? "" : body)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        413 | why | too large for Consul, or for a proxy in front of it: Consul answered 413: why
        429 | why | too many requests or connections for Consul (see limits in its configuration): Consul answered 429: why
        502 | why | a proxy in front of Consul does not reach it: Consul answered 502: why
        500 | No known Consul servers | Consul's agent has joined no server of its cluster (see its retry_join): Consul answered 500: No known Consul servers
        500 | No cluster leader | Consul's servers have no leader (more than half of them must be up and reach each other): Consul answered 500: No cluster leader
        """)
    void anAnswerIsExplainedToTheOperator(int status, String words, String message) {
        assertThat(Failures.ofAnswer(status, words)).hasMessage(message);
    }

    static List<Reply> brokenAnswers() {
        return List.of(
                reset(),
                hang(),
                raw("", true),
                raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Results\":[]", true),
                raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Results\":[]", false),
                raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"Res", true),
                raw("HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nNo cluster leader", true),
                raw("SSH-2.0-OpenSSH\r\n", true),
                raw("HTTP/1.1 200 OK\r\nContent-Le", true));
    }

    @ParameterizedTest
    @MethodSource("brokenAnswers")
    void noAnswerOrHalfOfOneIsUnknownAndIsNotTriedAgain(Reply reply) throws Exception {
        server.reply(reply);
        try (var quick = api(QUICK)) {
            assertThat(unknown(quick.txn(WRITE)).kind()).isEqualTo(FailureKind.UNAVAILABLE);
        }
        // The request may have been given up before the server has read it.
        var unused = server.next();
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void aReadIsNotTriedAgainEither() throws Exception {
        server.reply(reset()).reply(status(200, "[]", "X-Consul-Index: 7"));

        assertFails(
                () -> assertThat(api.list("p/", Consistency.DEFAULT)).isNull(),
                FailureKind.UNAVAILABLE,
                Effect.UNKNOWN);
        // The request may have been given up before the server has read it.
        var unused = server.next();
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void anAnswerThatIsTooLargeIsUnknown() {
        String large = "{\"Results\":[],\"x\":\"" + "x".repeat(10_000) + "\"}";
        String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(large.length())
                + "\r\n" + large + "\r\n0\r\n\r\n";

        assertThat(unknown(txn(status(200, large))).kind()).isEqualTo(FailureKind.INVALID);
        assertThat(unknown(txn(raw(chunked, false))).kind()).isEqualTo(FailureKind.INVALID);
        assertThat(unknown(txn(raw("HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n", false)))
                        .kind())
                .isEqualTo(FailureKind.INVALID);
    }

    static Stream<Arguments> unreadableLists() {
        String head = "HTTP/1.1 200 OK\r\nX-Consul-Index: 7\r\n";
        String chunk = "Transfer-Encoding: chunked\r\n\r\n4e20\r\n[";
        return Stream.of(
                arguments(status(200, "[{\"Key\":1}]", "X-Consul-Index: 7"), FailureKind.INVALID),
                arguments(raw(head + chunk + " ".repeat(19_998) + "]\r\n0\r\n\r\n", false), FailureKind.INVALID),
                arguments(raw(head + "Content-Length: 100\r\n\r\n[{\"Key\":1", true), FailureKind.UNAVAILABLE));
    }

    /** Of another form, too large, or cut off, so that the text received so far proves nothing. */
    @ParameterizedTest
    @MethodSource("unreadableLists")
    void aListThatCannotBeReadIsUnknown(Reply reply, FailureKind kind) {
        server.reply(reply);
        assertFails(() -> assertThat(api.list("p/", Consistency.DEFAULT)).isNull(), kind, Effect.UNKNOWN);
    }

    @Test
    void aHeadThatIsTooLargeIsUnknown() {
        String line = "X: " + "x".repeat(20_000) + "\r\n";

        unknown(txn(raw("HTTP/1.1 200 OK\r\n" + line + "Content-Length: 0\r\n\r\n", false)));
        unknown(txn(raw("HTTP/1.1 200 OK\r\n" + "X: x\r\n".repeat(1000) + "Content-Length: 0\r\n\r\n", false)));
    }

    /** A released port may now belong to another test, but port 1 is never assigned. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:1", "nowhere.invalid:8500"})
    void whereNobodyListensNothingIsDone(String address) {
        try (var unreachable = new EcwidConsulApi(new SystemEnvironment(), TestOptions.at(address), QUICK)) {
            ConsulException cause = notDone(unreachable.txn(WRITE));
            assertThat(cause.kind()).isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(cause).hasMessageStartingWith("Consul cannot be reached at http://" + address + ": ");
        }
    }

    @Test
    void withoutAHandshakeNothingIsDone() {
        var options = TestOptions.at("https://" + server.uri().getAuthority());
        try (var tls = new EcwidConsulApi(new SystemEnvironment(), options, QUICK)) {
            server.reply(raw("no TLS here\r\n\r\n", true));
            assertThat(notDone(tls.txn(WRITE)).kind()).isEqualTo(FailureKind.UNAVAILABLE);
        }
    }

    @Test
    void aHandshakeThatHangsEnds() throws IOException {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var tls = new EcwidConsulApi(
                        new SystemEnvironment(), TestOptions.at("https://127.0.0.1:" + silent.getLocalPort()), QUICK)) {
            assertThat(notDone(tls.txn(WRITE)).kind()).isEqualTo(FailureKind.UNAVAILABLE);
        }
    }

    @Test
    void withoutAFreeConnectionNothingIsDone() throws InterruptedException {
        try (var busy = api(new BoundedHttpClient.Limits(10_000, 20_000, 20_000, 20_000, 100, 10_000))) {
            for (int i = 0; i < EcwidTransport.COMMANDS; i++) {
                server.reply(hang());
                Thread.ofVirtual().start(() -> assertThat(busy.txn(WRITE)).isNotNull());
            }
            for (int i = 0; i < EcwidTransport.COMMANDS; i++) {
                assertThat(server.next().line()).startsWith("PUT /v1/txn");
            }
            assertThat(notDone(busy.txn(WRITE)).kind()).isEqualTo(FailureKind.UNAVAILABLE);

            server.reply(status(200, "[{\"ID\":\"s\"}]"));
            assertThat(busy.renewSession("s")).isTrue();
        }
    }

    @Test
    void anOperationThatCannotBeWrittenDownIsNotDone() {
        String half = "\ud800";

        assertThat(notDone(api.txn(List.of(new KvOp.CheckNotExists(half)))).kind())
                .isEqualTo(FailureKind.INVALID);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void closingEndsACommandAsUnknown() throws InterruptedException {
        try (var closing = api(PATIENT)) {
            server.reply(hang());
            var outcome = CompletableFuture.supplyAsync(() -> closing.txn(WRITE));
            assertThat(server.next().line()).startsWith("PUT");
            closing.close();

            assertThat(unknown(outcome.orTimeout(10, java.util.concurrent.TimeUnit.SECONDS)
                                    .join())
                            .kind())
                    .isEqualTo(FailureKind.CLOSED);
        }
    }

    @Test
    void otherCallsFailAsTheyAreSorted() {
        var calls = new ArrayList<Runnable>(List.of(
                () -> assertThat(api.list("p/", Consistency.DEFAULT)).isNull(),
                () -> assertThat(api.watch("p/", 1, Duration.ofSeconds(1))).isNull(),
                () -> assertThat(api.createSession("n", Duration.ofSeconds(10))).isNull(),
                () -> assertThat(api.renewSession("s")).isNull(),
                () -> api.destroySession("s")));
        for (Runnable call : calls) {
            server.reply(status(500, "No cluster leader"));
            assertFails(call, FailureKind.UNAVAILABLE, Effect.NOT_DONE);
            server.reply(status(403, "Permission denied"));
            assertFails(call, FailureKind.DENIED, Effect.NOT_DONE);
            server.reply(status(500, "rpc error making call: EOF"));
            assertFails(call, FailureKind.UNAVAILABLE, Effect.UNKNOWN);
            server.reply(reset());
            assertFails(call, FailureKind.UNAVAILABLE, Effect.UNKNOWN);
        }
    }

    private static void assertFails(Runnable call, FailureKind kind, Effect effect) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(ConsulException.class, e -> {
            assertThat(e.kind()).isEqualTo(kind);
            assertThat(e.effect()).isEqualTo(effect);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 404})
    void aReadNeedsAnIndex(int status) {
        server.reply(status(status, "[]"));
        assertFails(
                () -> assertThat(api.list("p/", Consistency.DEFAULT)).isNull(), FailureKind.INVALID, Effect.UNKNOWN);
    }

    @Test
    void aMissingSessionDiffersFromAServerWithoutThePath() {
        server.reply(status(404, "Session id 's' not found")).reply(status(404, "404 page not found"));

        assertThat(api.renewSession("s")).isFalse();
        assertFails(() -> assertThat(api.renewSession("s")).isNull(), FailureKind.INVALID, Effect.NOT_DONE);
    }

    /** The omitted entries may include holders, which would seem to be dead. */
    @ParameterizedTest
    @ValueSource(strings = {"200 []", "404 "})
    void aListThatConsulHasShortenedIsNoList(String answer) {
        int status = Integer.parseInt(answer.substring(0, 3));
        for (int i = 0; i < 2; i++) {
            server.reply(status(
                    status, answer.substring(4), "X-Consul-Index: 7", "X-Consul-Results-Filtered-By-ACLs: true"));
        }
        List.<Runnable>of(
                        () -> assertThat(api.list("p/", Consistency.DEFAULT)).isNull(),
                        () -> assertThat(api.watch("p/", 5, Duration.ofSeconds(1)))
                                .isNull())
                .forEach(read -> assertFails(read, FailureKind.DENIED, Effect.NOT_DONE));

        server.reply(status(404, "", "X-Consul-Index: 7", "X-Consul-Results-Filtered-By-ACLs: false"));
        assertThat(api.list("p/", Consistency.DEFAULT).entries()).isEmpty();
    }
}
