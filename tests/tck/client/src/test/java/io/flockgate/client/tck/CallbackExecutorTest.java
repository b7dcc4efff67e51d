package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What runs on the callback executor, and in which order; no callback waits for another. The
 * client's own threads know nothing of the thread that was the first to need them.
 */
final class CallbackExecutorTest extends LeaseSteps {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    private final List<String> calls = new ArrayList<>();

    /** The tasks of the executor, each on a thread of its own that has not begun. */
    private final Deque<Runnable> callbacks = new ArrayDeque<>();

    private final Lease delayed = leaseWithCallbacksOn(callbacks::add);

    private Lease leaseWithCallbacksOn(Executor executor) {
        Lease other = Flockgate.provider(server, clock.environment().callbackExecutor(executor))
                .lease(LeaseOptions.named("other").ttl(TTL).build());
        other.onLost(event -> calls.add("handler"));
        return other;
    }

    private void revoke() {
        server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "revoked by the test"));
    }

    private void runCallbacks() {
        for (Runnable task = callbacks.poll(); task != null; task = callbacks.poll()) {
            task.run();
        }
    }

    @Test
    void handlersRunOnItAfterTheStageOfTheAcquire() {
        CompletionStage<Boolean> seen = delayed.acquireWithToken().thenApply(grant -> calls.add("acquired"));
        server.grant("one");
        Runnable completion = callbacks.remove();
        revoke();
        runCallbacks();
        assertThat(delayed.checkAlive()).isFalse();
        assertThat(calls).as("the stage is not complete").isEmpty();

        completion.run();
        assertThat(calls).containsExactly("acquired");
        runCallbacks();

        assertThat(now(seen)).isTrue();
        assertThat(calls).containsExactly("acquired", "handler");
    }

    @Test
    void workInTheStageOfTheAcquireDoesNotDelayTheNews() {
        CompletionStage<Boolean> worked = delayed.acquireWithToken().thenApply(grant -> {
            grant.orElseThrow().lost().thenRun(() -> calls.add("lost"));
            revoke();
            runCallbacks();
            return calls.add("worked");
        });
        server.grant("one");
        runCallbacks();

        assertThat(now(worked)).isTrue();
        assertThat(calls).containsExactly("lost", "handler", "worked");
    }

    @Test
    void aHandlerThatBlocksDelaysNeitherTheStageNorTheNextGrant() {
        delayed.acquireWithToken()
                .thenAccept(grant -> grant.orElseThrow().lost().thenRun(() -> calls.add("lost")));
        server.grant("one");
        runCallbacks();
        revoke();
        Runnable blocked = callbacks.removeLast();
        runCallbacks();
        assertThat(calls).containsExactly("lost");

        CompletionStage<Boolean> next = delayed.acquire();
        server.grant("two");
        runCallbacks();

        assertThat(now(next)).isTrue();
        blocked.run();
        assertThat(calls).containsExactly("lost", "handler");
    }

    @Test
    void callbacksRunEvenIfItIsShutDown() {
        Lease orphan = leaseWithCallbacksOn(task -> {
            throw new RejectedExecutionException("shut down");
        });
        CompletionStage<Boolean> acquire = orphan.acquire();
        server.grant("one");
        assertThat(now(acquire)).isTrue();

        revoke();

        assertThat(calls).containsExactly("handler");
    }

    private record Context(String user, ClassLoader loader) {
        static Context here() {
            return new Context(
                    String.valueOf(USER.get()), Thread.currentThread().getContextClassLoader());
        }
    }

    private static void assertRunsAsTheClient(Consumer<Runnable> start) throws Exception {
        CompletableFuture<Context> seen = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            USER.set("alice");
            Thread.currentThread().setContextClassLoader(new ClassLoader(null) {});
            start.accept(() -> seen.complete(Context.here()));
        });
        caller.start();
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(new Context("null", Flockgate.class.getClassLoader()));
        caller.join();
    }

    @Test
    void neitherCallbacksNorTimersRunAsWhoeverStartedThem() throws Exception {
        LeaseEnvironment environment = LeaseEnvironment.system();

        assertRunsAsTheClient(environment.callbackExecutor()::execute);
        assertRunsAsTheClient(task -> {
            var unused = environment.timers().after(Duration.ZERO, task);
        });
    }
}
