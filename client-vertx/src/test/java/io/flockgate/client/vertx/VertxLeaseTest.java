package io.flockgate.client.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import io.flockgate.client.tck.ManualEnvironment;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases in memory for callers on an event loop. The test moves the clock of the leases. */
@Timeout(60)
final class VertxLeaseTest {
    private static final Duration NOW = Duration.ZERO;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final Vertx VERTX = Vertx.vertx();

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final LeaseProvider provider = Flockgate.provider(server, clock.environment());
    private final VertxLeases leases = new VertxLeases(VERTX, provider);
    private final Context context = VERTX.getOrCreateContext();

    @AfterAll
    static void stop() throws Exception {
        get(VERTX.close());
    }

    @AfterEach
    void close() {
        provider.close(Duration.ZERO);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** Makes the call on the event loop, and returns its result. */
    private <T> Future<T> onLoop(Supplier<Future<T>> call) {
        Promise<T> promise = Promise.promise();
        context.runOnContext(nothing -> call.get().onComplete(promise));
        return promise.future();
    }

    /** Waits until the event loop has completed everything that is due now. */
    private void settleLoop() throws Exception {
        get(onLoop(Future::succeededFuture));
    }

    private VertxGrant held(VertxLease lease) throws Exception {
        return get(lease.acquireWithToken()).orElseThrow();
    }

    @Test
    void aFreeNameIsAcquired() throws Exception {
        VertxLease lease = leases.lease("job");

        assertThat(get(lease.acquire())).isTrue();

        assertThat(lease.checkAlive()).isTrue();
        assertThat(lease.current()).isPresent();
        assertThat(lease.remaining()).isPositive();
    }

    @Test
    void contentionIsNoFailure() throws Exception {
        held(leases.lease("job"));

        assertThat(get(leases.lease("job").acquire())).isFalse();
        assertThat(get(leases.lease("job").acquireWithToken())).isEmpty();
    }

    @Test
    void anUnknownResultIsAFailureWithItsOwnException() throws Exception {
        VertxLease lease = leases.lease("job");
        server.close();

        assertThat(failure(lease.acquire())).isInstanceOf(LeaseUnavailableException.class);
        assertThat(failure(lease.acquireWithToken())).isInstanceOf(LeaseUnavailableException.class);
    }

    private static Throwable failure(Future<?> future) throws Exception {
        return get(future.transform((value, failure) -> Future.succeededFuture(failure)));
    }

    @Test
    void aResultComesOnTheContextOfTheCaller() throws Exception {
        VertxLease lease = leases.lease("job");
        CompletableFuture<Context> granted = new CompletableFuture<>();
        CompletableFuture<Context> released = new CompletableFuture<>();

        context.runOnContext(nothing -> lease.acquire().onComplete(held -> {
            granted.complete(Vertx.currentContext());
            lease.release().onComplete(done -> released.complete(Vertx.currentContext()));
        }));

        assertThat(granted.get(30, TimeUnit.SECONDS)).isSameAs(context);
        assertThat(released.get(30, TimeUnit.SECONDS)).isSameAs(context);
    }

    @Test
    void aWaitLeavesTheEventLoopFree() throws Exception {
        VertxLease holder = leases.lease("job");
        held(holder);
        Future<Optional<VertxGrant>> wait = onLoop(() -> leases.lease("job").acquire(MINUTE));

        settleLoop();
        assertThat(wait.isComplete()).isFalse();
        get(holder.release());

        assertThat(get(wait)).isPresent();
    }

    @Test
    void aReleaseEndsAWait() throws Exception {
        held(leases.lease("job"));
        VertxLease waiter = leases.lease("job");
        Future<Optional<VertxGrant>> wait = waiter.acquire(MINUTE);

        get(waiter.release());

        assertThat(get(wait)).isEmpty();
    }

    @Test
    void theSameGrantIsEqual() throws Exception {
        VertxLease lease = leases.lease("job");
        VertxGrant first = held(lease);

        assertThat(held(lease)).isEqualTo(first).hasSameHashCodeAs(first);
        get(lease.release());
        assertThat(held(lease)).isNotEqualTo(first);
    }

    @Test
    void aLossIsToldOnTheContextThatListens() throws Exception {
        VertxLease lease = leases.lease("job");
        CompletableFuture<Context> told = new CompletableFuture<>();
        List<LostReason> reasons = new CopyOnWriteArrayList<>();
        get(onLoop(() -> Future.succeededFuture(lease.onLost(event -> {
            reasons.add(event.reason());
            told.complete(Vertx.currentContext());
        }))));
        held(lease);

        server.revoke("job");

        assertThat(told.get(30, TimeUnit.SECONDS)).isSameAs(context);
        settleLoop();
        assertThat(reasons).containsExactly(LostReason.REVOKED);
    }

    @Test
    void aGrantTellsItsLossOnTheContextOfTheCaller() throws Exception {
        VertxGrant grant = held(leases.lease("job"));
        CompletableFuture<Context> told = new CompletableFuture<>();
        context.runOnContext(nothing -> grant.lost().onSuccess(event -> told.complete(Vertx.currentContext())));
        settleLoop();

        clock.stall(MINUTE);
        clock.advance(Duration.ofSeconds(1));

        assertThat(told.get(30, TimeUnit.SECONDS)).isSameAs(context);
        assertThat(grant.isAlive()).isFalse();
        assertThat(grant.remaining()).isZero();
    }

    @Test
    void aHandlerThatIsRemovedBeforeItsTurnIsNotCalled() throws Exception {
        List<LostEvent> events = new CopyOnWriteArrayList<>();
        VertxLease lease = leases.lease("job");
        Subscription subscription = get(onLoop(() -> Future.succeededFuture(lease.onLost(events::add))));
        held(lease);
        CountDownLatch revoked = new CountDownLatch(1);
        // The loop is busy while the loss is reported, and removes the handler before its turn.
        context.runOnContext(nothing -> {
            awaitUnchecked(revoked);
            subscription.close();
        });

        server.revoke("job");
        revoked.countDown();

        settleLoop();
        assertThat(events).isEmpty();
    }

    @Test
    void aHandlerOfAClosedLeaseIsNotCalled() throws Exception {
        List<LostEvent> events = new CopyOnWriteArrayList<>();
        VertxLease lease = leases.lease("job");
        get(onLoop(() -> Future.succeededFuture(lease.onLost(events::add))));
        held(lease);
        CountDownLatch revoked = new CountDownLatch(1);
        Future<Void> closed = onLoop(() -> {
            awaitUnchecked(revoked);
            return lease.close();
        });

        server.revoke("job");
        revoked.countDown();

        get(closed);
        settleLoop();
        assertThat(events).isEmpty();
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void ensureRenewsOnTheContextOfTheCaller() throws Exception {
        VertxGrant grant = held(leases.lease("job"));
        clock.stall(Duration.ofSeconds(9));

        assertThat(get(onLoop(() -> grant.ensure(Duration.ofSeconds(25))))).isTrue();
        assertThat(grant.remaining()).isGreaterThan(Duration.ofSeconds(25));
        assertThatThrownBy(() -> get(grant.ensure(MINUTE))).hasCauseInstanceOf(LeaseConfigException.class);
    }

    @Test
    void exclusiveWorkHoldsTheSlotUntilItsFutureEnds() throws Exception {
        Promise<String> work = Promise.promise();
        VertxLease lease = leases.lease("job");
        Future<Optional<String>> run = lease.runExclusive(NOW, grant -> work.future());

        assertThat(get(leases.lease("job").acquire())).isFalse();
        work.complete("done");

        assertThat(get(run)).contains("done");
        assertThat(get(leases.lease("job").acquire())).isTrue();
    }

    @Test
    void workWithoutAResultSaysWhetherItRan() throws Exception {
        VertxLease lease = leases.lease("job");

        assertThat(get(lease.runExclusiveWithoutResult(NOW, grant -> Future.succeededFuture())))
                .isTrue();
        assertThat(get(leases.runExclusiveWithoutResult(
                        LeaseOptions.of("job"), NOW, grant -> Future.succeededFuture())))
                .isTrue();
        held(leases.lease("job"));
        assertThat(get(lease.runExclusiveWithoutResult(NOW, grant -> Future.succeededFuture())))
                .isFalse();
    }

    @Test
    void exclusiveWorkIsNotCalledWithoutTheSlot() throws Exception {
        held(leases.lease("job"));

        Future<Optional<String>> run = leases.runExclusive(LeaseOptions.of("job"), NOW, grant -> {
            throw new AssertionError("called");
        });

        assertThat(get(run)).isEmpty();
    }

    @Test
    void workThatFailsOrThrowsGivesTheSlotBack() throws Exception {
        IllegalStateException failure = new IllegalStateException("thrown by the test");
        VertxLease lease = leases.lease("job");

        assertThat(failure(lease.runExclusive(NOW, grant -> Future.failedFuture(failure))))
                .isSameAs(failure);
        assertThat(lease.checkAlive()).isFalse();
        assertThat(failure(lease.runExclusive(NOW, grant -> {
                    throw failure;
                })))
                .isSameAs(failure);

        assertThat(lease.checkAlive()).isFalse();
        assertThat(get(leases.lease("job").acquire())).isTrue();
    }

    @Test
    void workThatLosesTheSlotFailsWhenItHasEnded() throws Exception {
        Promise<String> work = Promise.promise();
        CompletableFuture<LostEvent> heard = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        Future<Optional<String>> run = leases.lease("job").runExclusive(NOW, grant -> {
            grant.lost().onSuccess(heard::complete);
            begun.complete(null);
            return work.future();
        });
        begun.get(30, TimeUnit.SECONDS);

        server.revoke("job");
        assertThat(heard.get(30, TimeUnit.SECONDS).reason()).isEqualTo(LostReason.REVOKED);
        assertThat(run.isComplete()).isFalse();
        work.complete("too late");

        assertThatThrownBy(() -> get(run))
                .hasCauseInstanceOf(LeaseLostException.class)
                .hasStackTraceContaining("the lease of job was lost: REVOKED, ");
    }

    @Test
    void oneLeaseRunsOneWorkAtATime() throws Exception {
        Promise<String> work = Promise.promise();
        VertxLease lease = leases.lease("job");
        Future<Optional<String>> first = lease.runExclusive(NOW, grant -> work.future());

        assertThatThrownBy(() -> get(lease.runExclusive(NOW, grant -> Future.succeededFuture("second"))))
                .hasCauseInstanceOf(IllegalStateException.class);
        work.complete("first");

        assertThat(get(first)).contains("first");
        assertThat(get(lease.runExclusive(NOW, grant -> Future.succeededFuture("third"))))
                .contains("third");
    }

    @Test
    void aClosedProviderMakesNoLeases() throws Exception {
        get(leases.close());

        assertThatThrownBy(() ->
                        get(leases.runExclusive(LeaseOptions.of("job"), NOW, grant -> Future.succeededFuture("never"))))
                .hasCauseInstanceOf(LeaseClosedException.class);
        assertThatThrownBy(() -> leases.lease("job")).isInstanceOf(LeaseClosedException.class);
    }
}
