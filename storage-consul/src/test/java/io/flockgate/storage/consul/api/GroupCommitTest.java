package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.RequestJson;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Committed;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.NotDone;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.kv.TxnOutcome.Unknown;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A first transaction is delayed at Consul, so that those that arrive meanwhile must share the next
 * one.
 */
@Timeout(30)
class GroupCommitTest {
    private final FakeCluster cluster = new FakeCluster();
    private final FakeConsul consul = new FakeConsul(cluster);
    private final List<List<KvOp>> sent = new ArrayList<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final GroupCommit commit = new GroupCommit(new SystemEnvironment(), consul, 1);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KvOp create(String key) {
        return new KvOp.Cas(key, 0, bytes("of " + key), 0);
    }

    /** Records everything that is sent, and delays the first transaction until {@link #letGo}. */
    private void holdUpTheFirst(FakeConsul.Faults others) {
        consul.setFaults(request -> {
            if (request.call() != Call.TXN) {
                return new Fault.None();
            }
            synchronized (sent) {
                sent.add(request.operations());
                if (sent.size() > 1) {
                    return others.on(request);
                }
            }
            held.countDown();
            return new Fault.Before(() -> Await.await(letGo, "the end of the delay"));
        });
        CompletableFuture<TxnOutcome> first = begin(commit, "first/", create("first/k"));
        Await.await(held, "the first transaction");
        assertThat(first).isNotDone();
    }

    private void holdUpTheFirst() {
        holdUpTheFirst(request -> new Fault.None());
    }

    private static CompletableFuture<TxnOutcome> begin(GroupCommit by, String prefix, KvOp... operations) {
        return CompletableFuture.supplyAsync(
                () -> by.commit(List.of(operations), prefix),
                task -> Thread.ofVirtual().start(task));
    }

    /** Commits on a separate thread, and returns once the transaction is queued. */
    private CompletableFuture<TxnOutcome> commit(String prefix, KvOp... operations) {
        int before = commit.waiting();
        CompletableFuture<TxnOutcome> outcome = begin(commit, prefix, operations);
        awaitWaiting(commit, before + 1);
        return outcome;
    }

    /** Commits one operation for each of this number of keys. */
    private List<CompletableFuture<TxnOutcome>> commitEach(int keys) {
        return IntStream.range(0, keys)
                .mapToObj(i -> commit("k" + i + "/", create("k" + i + "/1")))
                .toList();
    }

    private static void awaitWaiting(GroupCommit commit, int members) {
        Polling.until("enough have to wait", () -> commit.waiting() >= members);
    }

    private static TxnOutcome result(CompletableFuture<TxnOutcome> outcome) {
        return outcome.orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static Committed committed(CompletableFuture<TxnOutcome> outcome) {
        TxnOutcome result = result(outcome);
        assertThat(result).isInstanceOf(Committed.class);
        return (Committed) result;
    }

    private static List<Obstacle> obstacles(CompletableFuture<TxnOutcome> outcome) {
        TxnOutcome result = result(outcome);
        assertThat(result).isInstanceOf(Conflict.class);
        return ((Conflict) result).obstacles();
    }

    private List<Integer> sizes() {
        synchronized (sent) {
            return sent.stream().map(List::size).toList();
        }
    }

    @Test
    void thoseThatComeMeanwhileShareOneTransactionInTheirOrder() {
        holdUpTheFirst();
        List<CompletableFuture<TxnOutcome>> outcomes = commitEach(20);
        letGo.countDown();

        outcomes.forEach(GroupCommitTest::committed);
        assertThat(sizes()).containsExactly(1, 20);
        assertThat(sent.getLast())
                .extracting(KvOp::key)
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "k" + i + "/1").toList());
    }

    @Test
    void eachGetsItsOwnResultsInTheirOrder() {
        long old = cluster.put("b/old", 0, bytes("x")).modifyIndex();
        cluster.put("c/other", 7, bytes("kept"));
        String session = consul.createSession("s", java.time.Duration.ofSeconds(10));
        holdUpTheFirst();
        var a = commit("a/", new KvOp.CheckNotExists("a/.seq"), create("a/2"), create("a/1"));
        var b = commit("b/", new KvOp.DeleteCas("b/old", old), new KvOp.Lock("b/.lock", 3, bytes("v"), session));
        var c = commit("c/", new KvOp.Set("c/new", 0, bytes("n")), new KvOp.GetTree("c/"));
        letGo.countDown();

        assertThat(committed(a).results()).extracting(KvEntry::key).endsWith("a/2", "a/1");
        assertThat(committed(a).results()).allMatch(each -> each.key().startsWith("a/"));
        KvEntry locked = committed(b).results().getLast();
        assertThat(locked.key()).isEqualTo("b/.lock");
        assertThat(locked.session()).isEqualTo(session);
        assertThat(locked.modifyIndex()).isEqualTo(cluster.raftIndex());
        assertThat(committed(c).results()).extracting(KvEntry::key).containsExactly("c/new", "c/new", "c/other");
        assertThat(committed(c).results().getLast().value()).isEqualTo(bytes("kept"));
        assertThat(sizes()).containsExactly(1, 7);
    }

    @Test
    void twoOfTheSamePrefixShareNoRound() {
        holdUpTheFirst();
        var one = commit("a/", create("a/1"));
        var other = commit("b/", create("b/1"));
        var two = commit("a/", create("a/2"));
        letGo.countDown();

        assertThat(committed(one).results()).extracting(KvEntry::key).containsExactly("a/1");
        assertThat(committed(two).results()).extracting(KvEntry::key).containsExactly("a/2");
        committed(other);
        assertThat(sizes()).containsExactly(1, 2, 1);
    }

    @Test
    void aConflictOfOneDoesNotStopTheOthers() {
        cluster.put("b/taken", 0, bytes("x"));
        holdUpTheFirst();
        var a = commit("a/", create("a/1"), create("a/2"));
        var b = commit("b/", create("b/free"), create("b/taken"));
        var c = commit("c/", create("c/1"));
        letGo.countDown();

        assertThat(obstacles(b)).singleElement().satisfies(obstacle -> {
            assertThat(obstacle.operation()).isEqualTo(1);
            assertThat(TxnContract.isIndexMismatch(obstacle)).isTrue();
        });
        assertThat(committed(a).results()).extracting(KvEntry::key).containsExactly("a/1", "a/2");
        assertThat(committed(c).results()).extracting(KvEntry::key).containsExactly("c/1");
        assertThat(cluster.get("b/free")).isNull();
        assertThat(sizes()).containsExactly(1, 5, 3);
    }

    @Test
    void whenAllConflictEachGetsItsOwnAndNothingIsSentAgain() {
        cluster.put("a/1", 0, bytes("x"));
        cluster.put("b/2", 0, bytes("x"));
        holdUpTheFirst();
        var a = commit("a/", create("a/1"), create("a/2"));
        var b = commit("b/", create("b/1"), create("b/2"));
        letGo.countDown();

        assertThat(obstacles(a)).extracting(Obstacle::operation).containsExactly(0);
        assertThat(obstacles(b)).extracting(Obstacle::operation).containsExactly(1);
        assertThat(sizes()).containsExactly(1, 4);
    }

    @Test
    void aConflictThatAppearsWhenTheOthersAreSentAgainCounts() {
        cluster.put("a/1", 0, bytes("x"));
        AtomicInteger rounds = new AtomicInteger();
        holdUpTheFirst(request -> rounds.incrementAndGet() == 2
                ? new Fault.Before(() -> {
                    KvEntry unused = cluster.put("b/1", 0, bytes("y"));
                })
                : new Fault.None());
        var a = commit("a/", create("a/1"));
        var b = commit("b/", create("b/1"));
        var c = commit("c/", create("c/1"));
        letGo.countDown();

        assertThat(result(a)).isInstanceOf(Conflict.class);
        assertThat(result(b)).isInstanceOf(Conflict.class);
        committed(c);
        assertThat(sizes()).containsExactly(1, 3, 2, 1);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                arguments(new Fault.AppliedUnknown(), Unknown.class),
                arguments(new Fault.Rejected(FailureKind.UNAVAILABLE), NotDone.class));
    }

    /** Nor does it repeat them. */
    @ParameterizedTest
    @MethodSource("failures")
    void whatIsUnknownOrNotDoneIsThatForAll(Fault fault, Class<? extends TxnOutcome> outcome) {
        holdUpTheFirst(request -> fault);
        List<CompletableFuture<TxnOutcome>> both = commitEach(2);
        letGo.countDown();
        assertThat(both).extracting(GroupCommitTest::result).hasOnlyElementsOfType(outcome);
        assertThat(sizes()).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"DENIED", "INVALID"})
    void oneThatConsulRefusesOnPrincipleDoesNotFailTheOthers(FailureKind kind) {
        holdUpTheFirst(request ->
                request.has(each -> each.key().startsWith("k3/")) ? new Fault.Rejected(kind) : new Fault.None());
        List<CompletableFuture<TxnOutcome>> outcomes = commitEach(7);
        letGo.countDown();

        for (int i = 0; i < 7; i++) {
            assertThat(result(outcomes.get(i))).as("%d", i).isInstanceOf(i == 3 ? NotDone.class : Committed.class);
        }
    }

    @Test
    void aFailureNobodyThoughtOfIsUnknownToAllAndTheNextRoundGoesOn() {
        AtomicInteger rounds = new AtomicInteger();
        holdUpTheFirst(request -> {
            if (rounds.incrementAndGet() == 1) {
                throw new IllegalStateException("a fault of ours");
            }
            return new Fault.None();
        });
        List<CompletableFuture<TxnOutcome>> both = commitEach(2);
        letGo.countDown();

        assertThat(both).extracting(GroupCommitTest::result).hasOnlyElementsOfType(Unknown.class);
        assertThat(commit.commit(List.of(create("c/1")), "c/")).isInstanceOf(Committed.class);
    }

    @Test
    void noRoundHasMoreOperationsThanEveryConsulTakes() {
        holdUpTheFirst();
        List<CompletableFuture<TxnOutcome>> outcomes = IntStream.range(0, 100)
                .mapToObj(i -> "k" + i + "/")
                .map(prefix -> commit(prefix, create(prefix + 1), create(prefix + 2), create(prefix + 3)))
                .toList();
        letGo.countDown();

        outcomes.forEach(GroupCommitTest::committed);
        assertThat(sizes()).containsExactly(1, 63, 63, 63, 63, 48);
    }

    @Test
    void noRoundIsLongerThanTheBoundUnlessOneMemberIs() throws IOException {
        byte[] large = new byte[30 * 1024];
        byte[] larger = new byte[200 * 1024];
        holdUpTheFirst();
        List<CompletableFuture<TxnOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            outcomes.add(commit("k" + i + "/", new KvOp.Set("k" + i + "/v", 0, i == 5 ? larger : large)));
        }
        letGo.countDown();

        outcomes.forEach(GroupCommitTest::committed);
        assertThat(sizes()).containsExactly(1, 3, 2, 1, 3, 1);
        for (List<KvOp> round : sent) {
            assertThat(round.size() == 1 || RequestJson.txn(round).length <= 128 * 1024)
                    .isTrue();
        }
    }

    @Test
    void nothingIsLostWhenACallerIsInterrupted() throws InterruptedException {
        holdUpTheFirst();
        CompletableFuture<TxnOutcome> outcome = new CompletableFuture<>();
        CompletableFuture<Boolean> still = new CompletableFuture<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            outcome.complete(commit.commit(List.of(create("a/1")), "a/"));
            still.complete(Thread.currentThread().isInterrupted());
        });
        awaitWaiting(commit, 1);
        var b = commit("b/", create("b/1"));
        caller.interrupt();
        letGo.countDown();
        caller.join();

        assertThat(committed(outcome).results()).extracting(KvEntry::key).containsExactly("a/1");
        assertThat(still.join()).as("the interrupt is not swallowed").isTrue();
        assertThat(committed(b).results()).extracting(KvEntry::key).containsExactly("b/1");
    }

    @Test
    void asManyRoundsAsThereAreLanesAreUnderWayAtATimeAndNoMore() {
        CountDownLatch bothThere = new CountDownLatch(2);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        consul.setFaults(request -> new Fault.Before(() -> {
            int there = most.accumulateAndGet(now.incrementAndGet(), Math::max);
            bothThere.countDown();
            Await.await(bothThere, "both rounds");
            assertThat(there).isLessThanOrEqualTo(2);
            now.decrementAndGet();
        }));
        GroupCommit two = new GroupCommit(new SystemEnvironment(), consul, 2);
        List<CompletableFuture<TxnOutcome>> outcomes = IntStream.range(0, 50)
                .mapToObj(i -> begin(two, "k" + i + "/", create("k" + i + "/1")))
                .toList();

        outcomes.forEach(GroupCommitTest::committed);
        assertThat(most).hasValue(2);
    }
}
