package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseUnavailableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final AtomicInteger freed = new AtomicInteger();
    private final BlockingCalls calls = new BlockingCalls(tasks::add, "unused");

    private static CompletableFuture<Object> failure(CompletionStage<?> stage) {
        return stage.handle((nothing, failure) -> (Object) failure).toCompletableFuture();
    }

    private void runNext() {
        tasks.remove().run();
    }

    @Test
    void aCallRunsOnTheThreadsAndAnswersByItsStage() {
        CompletableFuture<String> answer =
                calls.call(() -> "done", failure -> failure).toCompletableFuture();
        assertThat(answer).isNotDone();
        runNext();
        assertThat(answer).isCompletedWithValue("done");
    }

    @Test
    void aFailureIsToldInTheWordsOfTheBackEnd() {
        CompletionStage<String> answer = calls.call(
                () -> {
                    throw new IllegalStateException("odd");
                },
                failure -> new IllegalArgumentException(failure.getMessage()));
        runNext();
        assertThat(failure(answer).join()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void resourcesAreFreedOnceAndNotBeforeTheLastCallHasEnded() {
        CompletionStage<String> answer = calls.call(() -> "done", failure -> failure);
        calls.execute(() -> calls.execute(() -> {}));
        calls.close(freed::incrementAndGet);
        calls.close(freed::incrementAndGet);
        runNext();
        runNext();
        assertThat(answer.toCompletableFuture()).isCompletedWithValue("done");
        assertThat(freed).hasValue(0);
        runNext();
        assertThat(freed).hasValue(1);
    }

    @Test
    void resourcesAreFreedAtOnceIfNothingRuns() {
        calls.close(freed::incrementAndGet);
        assertThat(freed).hasValue(1);
        assertThat(failure(calls.call(() -> "late", failure -> failure)).join())
                .isInstanceOf(LeaseClosedException.class);
        assertThatThrownBy(() -> calls.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(tasks).isEmpty();
    }

    @Test
    void anExecutorThatTakesNoTaskLeavesNothingUnknown() {
        BlockingCalls refused = new BlockingCalls(
                task -> {
                    throw new RejectedExecutionException("full");
                },
                "unused");
        assertThat(failure(refused.call(() -> "never", failure -> failure)).join())
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        unavailable -> assertThat(unavailable.mayHold()).isFalse());
        refused.close(freed::incrementAndGet);
        assertThat(freed).hasValue(1);
    }

    @Test
    void shortCallsShareAFewThreadsAndRenewalsComeFirst() {
        List<String> ran = new ArrayList<>();
        for (int i = 0; i < BlockingCalls.MAX_SHORT; i++) {
            call(BlockingCalls.Order.SHORT, ran, "first");
        }
        call(BlockingCalls.Order.SHORT, ran, "claim");
        call(BlockingCalls.Order.RENEWAL, ran, "renewal");
        assertThat(tasks).as("threads").hasSize(BlockingCalls.MAX_SHORT);
        call(BlockingCalls.Order.LONG, ran, "wait");
        assertThat(tasks).as("threads").hasSize(BlockingCalls.MAX_SHORT + 1);
        runNext();
        assertThat(ran).containsExactly("first", "renewal", "claim");
        while (!tasks.isEmpty()) {
            runNext();
        }
        call(BlockingCalls.Order.SHORT, ran, "later");
        assertThat(tasks).as("a place is free again").hasSize(1);
    }

    @Test
    void aShortCallThatWaitsIsCarriedOutBeforeTheResourcesAreFreed() {
        List<String> ran = new ArrayList<>();
        for (int i = 0; i <= BlockingCalls.MAX_SHORT; i++) {
            call(BlockingCalls.Order.SHORT, ran, "call");
        }
        calls.close(freed::incrementAndGet);
        while (!tasks.isEmpty()) {
            assertThat(freed).hasValue(0);
            runNext();
        }
        assertThat(ran).hasSize(BlockingCalls.MAX_SHORT + 1);
        assertThat(freed).hasValue(1);
    }

    private void call(BlockingCalls.Order order, List<String> ran, String name) {
        CompletionStage<Boolean> unused = calls.call(order, () -> ran.add(name), failure -> failure);
    }
}
