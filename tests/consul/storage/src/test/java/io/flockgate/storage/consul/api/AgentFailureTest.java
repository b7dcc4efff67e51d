package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environments;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An agent that stops, hangs or is overloaded. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class AgentFailureTest {
    private static final BoundedHttpClient.Limits QUICK =
            new BoundedHttpClient.Limits(1000, 1000, 1000, 1000, 1000, 1 << 20);

    private static TxnOutcome write(ConsulApi api) {
        return api.txn(List.of(new KvOp.Set(
                "k", 0, Double.toString(Math.random()).getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    }

    @Test
    void aRestartIsSurvivedWithoutAnUnknownOutcomeOfWhatComesAfter() {
        try (var agent = ConsulAgent.start(AgentOptions.plain().onDisk());
                var api = new EcwidConsulApi(
                        Environments.SYSTEM, TestOptions.at(agent.address().toString()))) {
            String session = api.createSession("n", Duration.ofSeconds(60));
            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
            agent.kill();
            assertThat(write(api)).isNotInstanceOf(TxnOutcome.Committed.class);
            agent.restart();

            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
            assertThat(api.renewSession(session)).isTrue();
        }
    }

    @Test
    void anAgentThatStandsStillLeavesAWriteUnknownAndMayDoItLater() {
        try (var agent = ConsulAgent.start();
                var api = new EcwidConsulApi(
                        Environments.SYSTEM, TestOptions.at(agent.address().toString()), QUICK)) {
            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
            long before = api.list("k", Consistency.DEFAULT).index();
            agent.pause();
            assertThat(write(api))
                    .isInstanceOfSatisfying(
                            TxnOutcome.Unknown.class,
                            outcome -> assertThat(outcome.cause().kind()).isEqualTo(FailureKind.UNAVAILABLE));
            agent.resume();

            assertThat(api.watch("k", before, Duration.ofSeconds(10)).index()).isGreaterThan(before);
        }
    }

    @Test
    void tooManyConnectionsHarmOnlyTheNewOnes() {
        // The test bed has some connections of its own.
        var options = AgentOptions.plain().withConfig("{\"limits\": {\"http_max_conns_per_client\": 8}}");
        try (var agent = ConsulAgent.start(options);
                var api = new EcwidConsulApi(
                        Environments.SYSTEM, TestOptions.at(agent.address().toString()), QUICK)) {
            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
            var watches = new ArrayList<CompletableFuture<KvList>>();
            for (int i = 0; i < 10; i++) {
                watches.add(CompletableFuture.supplyAsync(
                        () -> api.watch("k", Long.MAX_VALUE, Duration.ofSeconds(60)), Thread::startVirtualThread));
            }
            assertThatThrownBy(() -> CompletableFuture.anyOf(watches.toArray(CompletableFuture[]::new))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .cause()
                    .isInstanceOfSatisfying(
                            ConsulException.class,
                            e -> assertThat(e.kind()).isIn(FailureKind.UNAVAILABLE, FailureKind.LIMITED));
            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
        }
    }

    @Test
    void watchesOverTheBudgetAreRefusedAndCommandsGoOn() throws InterruptedException {
        ConsulOptions options = TestOptions.withWatchBudget(
                TestOptions.at(ConsulAgent.shared().address().toString()), 1);
        try (var api = new EcwidConsulApi(Environments.SYSTEM, options, QUICK)) {
            long index =
                    ((TxnOutcome.Committed) write(api)).results().getFirst().modifyIndex();
            AtomicBoolean closing = new AtomicBoolean();
            // Refused itself while the request below is under way, and then tried again.
            Thread watcher = Thread.ofVirtual().start(() -> {
                while (!closing.get()) {
                    try {
                        assertThat(api.watch("k", index + 1_000_000, Duration.ofSeconds(60)))
                                .isNotNull();
                    } catch (ConsulException refusedOrClosed) {
                        // The loop ends when the test closes the client.
                    }
                }
            });
            ConsulException refused = null;
            while (refused == null) {
                try {
                    // Answers at once, provided that it is sent before the waiting request.
                    assertThat(api.watch("k", 1, Duration.ofSeconds(1))).isNotNull();
                } catch (ConsulException e) {
                    refused = e;
                }
            }
            assertThat(refused.effect()).isEqualTo(Effect.NOT_DONE);
            assertThat(write(api)).isInstanceOf(TxnOutcome.Committed.class);
            closing.set(true);
            api.close();
            watcher.join();
        }
    }
}
