package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The handlers of losses, and the stages that report them. */
final class LossHandlersTest extends ScriptedLeaseTest {
    private final List<String> calls = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        threads.shutdownNow();
    }

    private void lose() {
        untilRenewal();
        server.reject();
    }

    private void revoke() {
        server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "revoked by the test"));
    }

    @Test
    void handlersAreCalledOnceInTheirOrderThoughSomeThrow() {
        lease.onLost(event -> calls.add("first " + lease.checkAlive() + " " + lease.current()));
        lease.onLost(event -> {
            throw new IllegalStateException("thrown by the test");
        });
        lease.onLost(event -> {
            throw new AssertionError("thrown by the test");
        });
        lease.onLost(event -> LossHandlersTest.<RuntimeException>sneak(new Exception("thrown by the test")));
        lease.onLost(event -> calls.add("second"));
        lease.onLost(event -> calls.add("third"));
        acquired("one");

        lose();
        clock.advance(TTL.multipliedBy(3));

        assertThat(calls).containsExactly("first false Optional.empty", "second", "third");
        assertThat(observed).filteredOn("failed thrown by the test"::equals).hasSize(3);
        acquired("two");
        assertThat(lease.checkAlive()).isTrue();
    }

    /** Throws a checked exception as other JVM languages do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void anObserverThatThrowsChangesNothing() {
        onNews = () -> {
            throw new AssertionError("thrown by the test");
        };
        acquired("one");
        untilRenewal();
        server.renew();

        lose();

        assertThat(observed).last().isEqualTo("lost RENEWAL_REJECTED");
        assertThat(events).hasSize(1);
    }

    @Test
    void aHandlerThatIsRegisteredTwiceIsCalledTwice() {
        lease.onLost(event -> calls.add("twice"));
        Subscription second = lease.onLost(event -> calls.add("twice"));
        acquired("one");
        lose();
        assertThat(calls).hasSize(2);

        second.close();
        second.close();
        acquired("two");
        lose();

        assertThat(calls).hasSize(3);
    }

    @Test
    void aHandlerMayUnsubscribeItselfAndOthersThatHaveNotBegun() {
        List<Subscription> all = new ArrayList<>();
        all.add(lease.onLost(event -> {
            calls.add("self");
            all.forEach(Subscription::close);
        }));
        all.add(lease.onLost(event -> calls.add("removed")));
        lease.onLost(event -> calls.add("kept"));
        acquired("one");
        lose();
        acquired("two");
        lose();

        assertThat(calls).containsExactly("self", "kept", "kept");
    }

    @Test
    void aHandlerIsCalledForLossesAfterItsRegistrationOnly() {
        List<Subscription> once = new ArrayList<>();
        once.add(lease.onLost(event -> {
            once.get(0).close();
            lease.onLost(later -> calls.add("registered by a handler " + later.token()));
        }));
        acquired("one");
        lose();
        lease.onLost(later -> calls.add("registered after the loss " + later.token()));
        assertThat(calls).isEmpty();
        acquired("two");
        lose();

        assertThat(calls).containsExactly("registered by a handler two", "registered after the loss two");
    }

    @Test
    void aHandlerMayReleaseAndAcquire() {
        List<CompletionStage<Boolean>> again = new ArrayList<>();
        lease.onLost(event -> {
            now(lease.release());
            again.add(lease.acquire());
        });
        acquired("one");
        lose();
        server.grant("two");

        assertThat(now(again.get(0))).isTrue();
        assertThat(lease.current().map(LeaseGrant::token)).contains("two");
    }

    private Lease leaseWithCallbacksOn(Executor executor) {
        return Flockgate.provider(server, clock.environment().callbackExecutor(executor))
                .lease(LeaseOptions.named("other").ttl(TTL).build());
    }

    private static void run(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void handlersAndStagesRunOnTheCallbackExecutorAndTheStageOfTheAcquireFirst() {
        Queue<Runnable> callbacks = new ArrayDeque<>();
        Lease delayed = leaseWithCallbacksOn(callbacks::add);
        delayed.onLost(event -> calls.add("lost"));
        CompletionStage<Optional<LeaseGrant>> acquire = delayed.acquireWithToken();
        CompletionStage<Boolean> seen = acquire.thenApply(grant -> calls.add("acquired"));
        server.grant("one");
        Runnable completion = callbacks.remove();
        revoke();
        run(callbacks);
        assertThat(delayed.checkAlive()).isFalse();
        assertThat(calls).as("the stage is not complete").isEmpty();

        completion.run();
        assertThat(calls).containsExactly("acquired");
        run(callbacks);

        assertThat(now(seen)).isTrue();
        assertThat(calls).containsExactly("acquired", "lost");
    }

    @Test
    void workInTheStageOfTheAcquireDoesNotDelayTheNews() throws Exception {
        CountDownLatch told = new CountDownLatch(2);
        CountDownLatch working = new CountDownLatch(1);
        Lease threaded = leaseWithCallbacksOn(threads);
        threaded.onLost(event -> told.countDown());
        CompletionStage<Boolean> inTime = threaded.acquireWithToken().thenApply(grant -> {
            grant.orElseThrow().lost().thenRun(told::countDown);
            working.countDown();
            return awaitUninterrupted(told);
        });
        server.grant("one");
        assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();

        revoke();

        assertThat(inTime.toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aHandlerThatBlocksDelaysNeitherTheStageNorTheNextGrant() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        Lease threaded = leaseWithCallbacksOn(threads);
        threaded.onLost(event -> {
            blocked.countDown();
            awaitUninterrupted(end);
        });
        CompletableFuture<Optional<LeaseGrant>> first =
                threaded.acquireWithToken().toCompletableFuture();
        server.grant("one");
        LeaseGrant grant = first.get(20, TimeUnit.SECONDS).orElseThrow();
        revoke();
        assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();

        grant.lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
        CompletableFuture<Boolean> second = threaded.acquire().toCompletableFuture();
        server.grant("two");

        assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
    }

    private static boolean awaitUninterrupted(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            return false;
        }
    }

    @Test
    void callbacksRunEvenIfTheExecutorIsShutDown() {
        Lease orphan = leaseWithCallbacksOn(task -> {
            throw new RejectedExecutionException("shut down");
        });
        orphan.onLost(event -> calls.add("lost"));
        CompletionStage<Boolean> acquire = orphan.acquire();
        server.grant("one");
        assertThat(now(acquire)).isTrue();

        revoke();

        assertThat(calls).containsExactly("lost");
    }
}
