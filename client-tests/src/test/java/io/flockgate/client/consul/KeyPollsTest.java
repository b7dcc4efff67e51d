package io.flockgate.client.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The reads that all claims at a key share, with a scripted agent. */
@Execution(ExecutionMode.CONCURRENT)
class KeyPollsTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final CompletableFuture<Void> NEVER = new CompletableFuture<>();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ScriptedServer agent = new ScriptedServer();
    private KeyPolls polls;

    @BeforeEach
    void start() throws Exception {
        var ticker = LeaseEnvironment.system().ticker();
        ConsulHttp http = new ConsulHttp(List.of(agent.uri()), () -> "", SSLContext.getDefault(), threads, ticker);
        polls = new KeyPolls(new ConsulApi(http), ticker, threads);
    }

    @AfterEach
    void stop() {
        polls.close();
        agent.close();
        threads.shutdownNow();
    }

    private static KeyView view(long index) {
        return KeyView.of(PATH, new KvList(List.of(), index));
    }

    private static Reply answer(long index) {
        return new Reply.Answer(200, List.of("X-Consul-Index: " + index), "[]".getBytes(UTF_8));
    }

    private @Nullable KeyView await(long seen, Duration wait) {
        return polls.await(view(seen), true, TicketMark.LEAST_ACT_MILLIS, wait.toNanos(), NEVER);
    }

    private Future<@Nullable KeyView> waits(long seen) {
        return threads.submit(() -> await(seen, LONG));
    }

    private static long index(Future<@Nullable KeyView> waiting) throws Exception {
        KeyView found = waiting.get(60, TimeUnit.SECONDS);
        return found == null ? 0 : found.index();
    }

    private void awaitReads(int count) {
        Polling.until("reads: " + count, () -> agent.received().size() >= count);
    }

    @Test
    void aNewerViewOfOneUpdatesTheOthers() throws Exception {
        agent.otherwise(Reply.hang());
        Future<@Nullable KeyView> first = waits(5);
        awaitReads(1);
        KeyView same = await(8, Duration.ofMillis(1));
        assertThat(same).isNotNull();
        assertThat(index(first)).isEqualTo(8);
        assertThat(agent.received()).hasSize(1);
    }

    @Test
    void anAnswerIsForAllThatWait() throws Exception {
        CompletableFuture<Void> change = new CompletableFuture<>();
        agent.otherwise((request, socket) -> {
            change.join();
            answer(9).send(request, socket);
        });
        Future<@Nullable KeyView> first = waits(5);
        Future<@Nullable KeyView> second = waits(5);
        awaitReads(1);
        change.complete(null);
        assertThat(index(first)).isEqualTo(9);
        assertThat(index(second)).isEqualTo(9);
    }

    @Test
    void aFailureIsForAllThatWait() {
        agent.otherwise(Reply.status(500, "No cluster leader"));
        Future<@Nullable KeyView> first = waits(5);
        Future<@Nullable KeyView> second = waits(5);
        for (Future<@Nullable KeyView> each : List.of(first, second)) {
            assertThatThrownBy(() -> index(each)).hasCauseInstanceOf(ConsulException.class);
        }
    }

    @Test
    void indexesThatHaveStartedAgainAskForARead() throws Exception {
        agent.otherwise(answer(3));
        assertThat(index(waits(5))).isZero();
    }

    @Test
    void withoutAChangeTheLastViewComesBack() {
        agent.otherwise(Reply.hang());
        KeyView last = view(5);
        assertThat(polls.await(
                        last,
                        true,
                        TicketMark.LEAST_ACT_MILLIS,
                        Duration.ofMillis(20).toNanos(),
                        NEVER))
                .isSameAs(last);
    }

    /** Reading that many keys in turn may take longer than a head usually has. */
    @Test
    void manyKeysAreStatedInTheTickets() {
        agent.otherwise(Reply.hang());
        assertThat(polls.actMillis()).isEqualTo(TicketMark.LEAST_ACT_MILLIS);
        CompletableFuture<Void> stop = new CompletableFuture<>();
        for (int i = 0; i < 1_500; i++) {
            KeyView view = KeyView.of(new KeyPath("base/job" + i, false), new KvList(List.of(), 5));
            threads.execute(() -> {
                KeyView unused = polls.await(
                        view,
                        true,
                        TicketMark.LEAST_ACT_MILLIS,
                        Duration.ofMinutes(1).toNanos(),
                        stop);
            });
        }
        Polling.until("a longer time", () -> polls.actMillis() >= 5_000);
        stop.complete(null);
    }
}
