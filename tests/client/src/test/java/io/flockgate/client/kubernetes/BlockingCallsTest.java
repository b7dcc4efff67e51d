package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseUnavailableException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final AtomicInteger freed = new AtomicInteger();
    private final BlockingCalls calls = new BlockingCalls(tasks::add, "unused");

    private static Object failure(CompletionStage<?> stage) {
        return stage.handle((nothing, failure) -> (Object) failure)
                .toCompletableFuture()
                .join();
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
        assertThat(failure(answer)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void resourcesAreFreedOnceAndNotBeforeTheLastCallHasEnded() {
        CompletionStage<String> one = calls.call(() -> "one", failure -> failure);
        CompletionStage<String> two = calls.call(() -> "two", failure -> failure);
        calls.close(freed::incrementAndGet);
        calls.close(freed::incrementAndGet);
        runNext();
        assertThat(one.toCompletableFuture()).isCompletedWithValue("one");
        assertThat(freed).hasValue(0);
        runNext();
        assertThat(two.toCompletableFuture()).isCompletedWithValue("two");
        assertThat(freed).hasValue(1);
    }

    @Test
    void resourcesAreFreedAtOnceIfNothingRuns() {
        calls.close(freed::incrementAndGet);
        assertThat(freed).hasValue(1);
        assertThat(failure(calls.call(() -> "late", failure -> failure))).isInstanceOf(LeaseClosedException.class);
        assertThat(tasks).isEmpty();
    }

    @Test
    void anExecutorThatTakesNoTaskLeavesNothingUnknown() {
        BlockingCalls refused = new BlockingCalls(
                task -> {
                    throw new RejectedExecutionException("full");
                },
                "unused");
        assertThat(failure(refused.call(() -> "never", failure -> failure)))
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        unavailable -> assertThat(unavailable.mayHold()).isFalse());
        refused.close(freed::incrementAndGet);
        assertThat(freed).hasValue(1);
    }
}
