package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.Loss;
import io.flockgate.client.LostEvent;
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
import org.junit.jupiter.api.Test;

/** The handlers of losses, and the stages that report them. */
final class LossHandlersTest extends ScriptedLeaseTest {
    private final List<String> calls = new ArrayList<>();

    private void lose() {
        untilRenewal();
        server.reject();
    }

    @Test
    void handlersAreCalledOnceInTheOrderOfTheirRegistration() {
        lease.onLost(event -> calls.add("first"));
        lease.onLost(event -> calls.add("second"));
        lease.onLost(event -> calls.add("third"));
        acquired("one");

        lose();
        clock.advance(TTL.multipliedBy(3));

        assertThat(calls).containsExactly("first", "second", "third");
    }

    @Test
    void aHandlerThatThrowsHindersNoOther() {
        lease.onLost(event -> {
            throw new IllegalStateException("thrown by the test");
        });
        lease.onLost(event -> {
            throw new AssertionError("thrown by the test");
        });
        lease.onLost(event -> LossHandlersTest.<RuntimeException>sneak(new Exception("thrown by the test")));
        lease.onLost(event -> calls.add("last"));
        acquired("one");

        lose();

        assertThat(calls).containsExactly("last");
        acquired("two");
        assertThat(lease.checkAlive()).isTrue();
    }

    /** Throws a checked exception as other JVM languages do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
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
    void aHandlerMayUnsubscribeItself() {
        List<Subscription> own = new ArrayList<>();
        own.add(lease.onLost(event -> {
            calls.add("self");
            own.get(0).close();
        }));
        lease.onLost(event -> calls.add("next"));
        acquired("one");
        lose();
        acquired("two");
        lose();

        assertThat(calls).containsExactly("self", "next", "next");
    }

    @Test
    void aHandlerMayUnsubscribeAnotherThatHasNotBegun() {
        List<Subscription> other = new ArrayList<>();
        lease.onLost(event -> other.get(0).close());
        other.add(lease.onLost(event -> calls.add("removed")));
        lease.onLost(event -> calls.add("kept"));
        acquired("one");

        lose();

        assertThat(calls).containsExactly("kept");
    }

    @Test
    void aHandlerThatIsRegisteredByAHandlerIsForLaterLosses() {
        List<Subscription> once = new ArrayList<>();
        once.add(lease.onLost(event -> {
            once.get(0).close();
            lease.onLost(later -> calls.add(later.token()));
        }));
        acquired("one");
        lose();
        assertThat(calls).isEmpty();
        acquired("two");
        lose();

        assertThat(calls).containsExactly("two");
    }

    @Test
    void aHandlerThatIsRegisteredAfterALossDoesNotHearOfIt() {
        Grant grant = acquired("one");
        lose();

        lease.onLost(event -> calls.add("late"));

        assertThat(calls).isEmpty();
        assertThat(now(grant.lost()).reason()).isEqualTo(LostReason.RENEWAL_REJECTED);
    }

    @Test
    void theLeaseIsLostBeforeTheHandlersHearOfIt() {
        lease.onLost(event -> calls.add(lease.checkAlive() + " " + lease.current()));
        acquired("one");

        lose();

        assertThat(calls).containsExactly("false Optional.empty");
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
        assertThat(lease.current().map(Grant::token)).contains("two");
    }

    @Test
    void aReleaseIsNotALoss() {
        Grant grant = acquired("one");
        lease.release();
        server.release();
        clock.advance(TTL.multipliedBy(2));

        assertThat(events).isEmpty();
        assertThat(grant.lost().toCompletableFuture()).isNotDone();
    }

    @Test
    void aReleaseBeforeTheNewsOfAnExpiryKeepsTheNewsBack() {
        Grant grant = acquired("one");
        clock.stall(VALIDITY);
        assertThat(grant.isAlive()).isFalse();

        lease.release();
        server.release();
        clock.advance(TTL);

        assertThat(events).isEmpty();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aCloseIsNotALoss() {
        acquired("one");
        lease.closeAsync();
        server.release();
        clock.advance(TTL.multipliedBy(2));

        assertThat(events).isEmpty();
    }

    @Test
    void aLossThatTheBackEndReportsIsToldWithItsReason() {
        acquired("one");
        Loss loss = Loss.of(LostReason.REVOKED, "gone");

        server.listeners.get(0).accept(loss);
        server.listeners.get(0).accept(loss);

        assertThat(lease.checkAlive()).isFalse();
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.REVOKED);
        assertThat(events).extracting(LostEvent::message).containsExactly("gone");
        assertThat(server.subscriptions()).isZero();
        assertThat(server.releases).isEmpty();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void newsOfALostGrantDoNotEndTheNext() {
        acquired("one");
        lose();
        acquired("two");

        server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "old news"));

        assertThat(lease.checkAlive()).isTrue();
        assertThat(events).hasSize(1);
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
    void handlersAndStagesRunOnTheCallbackExecutorAlone() {
        Queue<Runnable> callbacks = new ArrayDeque<>();
        Lease delayed = leaseWithCallbacksOn(callbacks::add);
        delayed.onLost(event -> calls.add("lost"));
        CompletionStage<Boolean> acquire = delayed.acquire();
        server.grant("one");
        assertThat(acquire.toCompletableFuture()).isNotDone();
        run(callbacks);
        assertThat(now(acquire)).isTrue();
        lose();

        assertThat(delayed.checkAlive()).isFalse();
        assertThat(calls).isEmpty();
        run(callbacks);
        assertThat(calls).containsExactly("lost");
    }

    @Test
    void aLossIsNotToldBeforeTheStageOfTheAcquireHasCompleted() {
        Queue<Runnable> callbacks = new ArrayDeque<>();
        Lease delayed = leaseWithCallbacksOn(callbacks::add);
        delayed.onLost(event -> calls.add("lost"));
        CompletionStage<Optional<Grant>> acquire = delayed.acquireWithToken();
        CompletionStage<Boolean> seen = acquire.thenApply(grant -> calls.add("acquired"));
        server.grant("one");
        Runnable completion = callbacks.remove();
        server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "early"));
        run(callbacks);
        assertThat(calls).as("the stage is not complete").isEmpty();

        completion.run();
        run(callbacks);

        assertThat(now(seen)).isTrue();
        assertThat(calls).containsExactly("acquired", "lost");
    }

    @Test
    void workInTheStageOfTheAcquireDoesNotDelayTheNews() throws Exception {
        CountDownLatch told = new CountDownLatch(2);
        CountDownLatch working = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Lease threaded = leaseWithCallbacksOn(threads);
            threaded.onLost(event -> told.countDown());
            CompletionStage<Boolean> inTime = threaded.acquireWithToken().thenApply(grant -> {
                grant.orElseThrow().lost().thenRun(told::countDown);
                working.countDown();
                return awaitUninterrupted(told);
            });
            server.grant("one");
            assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();

            server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "while it works"));

            assertThat(inTime.toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aHandlerThatBlocksDelaysNeitherTheStageNorTheNextGrant() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Lease threaded = leaseWithCallbacksOn(threads);
            threaded.onLost(event -> {
                blocked.countDown();
                awaitUninterrupted(release);
            });
            CompletableFuture<Optional<Grant>> first =
                    threaded.acquireWithToken().toCompletableFuture();
            server.grant("one");
            Grant grant = first.get(20, TimeUnit.SECONDS).orElseThrow();
            server.listeners.get(0).accept(Loss.of(LostReason.REVOKED, "revoked"));
            assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();

            grant.lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
            CompletableFuture<Boolean> second = threaded.acquire().toCompletableFuture();
            server.grant("two");

            assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            release.countDown();
            threads.shutdownNow();
        }
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

        lose();

        assertThat(calls).containsExactly("lost");
    }
}
