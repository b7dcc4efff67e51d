package io.flockgate.storage.consul.api;

import static io.flockgate.testsupport.Reply.hang;
import static io.flockgate.testsupport.Reply.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.ForwardingEnvironment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.testsupport.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What follows when there are too many requests. */
class RefusedRequestsTest {
    private static final String SESSION = "[{\"ID\":\"s\"}]";

    private final FakeClock clock = new FakeClock();

    @Test
    void renewalsComeBeforeEverythingElseAfterARefusal() throws IOException, InterruptedException {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        // Its clock stands still, because on a slow machine the pause would end before the next
        // request.
        Environment environment = new ForwardingEnvironment(new SystemEnvironment(clock::nanos)) {
            @Override
            public void sleep(long nanos) throws InterruptedException {
                waits.countDown();
                over.await();
            }
        };
        try (ScriptedServer server = new ScriptedServer();
                EcwidConsulApi api = new EcwidConsulApi(
                        environment, TestOptions.at(server.uri().getAuthority()))) {
            server.reply(status(429, "rate limit exceeded"))
                    .reply(status(200, SESSION))
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
        try (ScriptedServer server = new ScriptedServer();
                EcwidConsulApi api = new EcwidConsulApi(
                        new SystemEnvironment(),
                        TestOptions.withWatchBudget(TestOptions.at(server.uri().getAuthority()), 1),
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
