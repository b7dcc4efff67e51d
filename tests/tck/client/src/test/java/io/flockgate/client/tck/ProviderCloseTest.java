package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeasePermit;
import io.flockgate.client.LeaseSemaphore;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.TaskResult;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A provider, a lease or a lock that is closed while work holds a slot. */
@Timeout(60)
final class ProviderCloseTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final LeaseOptions JOB = TwoProcesses.options("job");

    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    /** Work that notices an interrupt and continues until the test ends it. */
    private String stubborn(LeaseGrant grant) throws InterruptedException {
        begun.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException noticed) {
            interrupted.countDown();
        }
        end.await();
        return "done while " + (grant.isAlive() ? "held" : "not held");
    }

    private BackgroundCall<TaskResult<String>> stubbornTask() throws InterruptedException {
        BackgroundCall<TaskResult<String>> task =
                BackgroundCall.start(() -> scene.mine().runExclusive(JOB, Duration.ZERO, this::stubborn));
        begun.await();
        return task;
    }

    private boolean isFree() throws InterruptedException {
        return isFree("job");
    }

    private boolean isFree(String name) throws InterruptedException {
        try (BlockingLease probe = new BlockingLease(scene.other().lease(TwoProcesses.options(name)))) {
            return probe.acquire(Duration.ZERO).isPresent();
        }
    }

    @Test
    void aTaskIsInterruptedAndKeepsItsSlotUntilItEnds() throws Exception {
        BackgroundCall<TaskResult<String>> task = stubbornTask();
        BackgroundCall<Optional<LeaseGrant>> waiter =
                BackgroundCall.start(() -> new BlockingLease(scene.other().lease(JOB)).acquire(MINUTE));
        scene.otherBackend().awaitQueued();
        BackgroundCall<Boolean> closing = BackgroundCall.start(() -> {
            scene.mine().close(MINUTE);
            return true;
        });
        interrupted.await();

        assertThat(isFree()).isFalse();
        end.countDown();
        assertThat(task.get().value()).isEqualTo("done while held");
        assertThat(waiter.get()).isPresent();
        assertThat(closing.get()).isTrue();
    }

    @Test
    void aTaskThatOutlastsTheCloseIsRenewedNoMore() throws Exception {
        BackgroundCall<TaskResult<String>> task = stubbornTask();
        scene.mine().close(Duration.ZERO);

        scene.pass(TwoProcesses.TTL.minusSeconds(4));
        assertThat(isFree()).isFalse();
        scene.pass(Duration.ofSeconds(5));
        assertThat(scene.myBackend().renewals()).isZero();
        assertThat(isFree()).isTrue();
        end.countDown();
        assertThat(task.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aCloseThatIsInterruptedLeavesTheWorkItsTime() throws Exception {
        BackgroundCall<TaskResult<String>> task = stubbornTask();
        Thread.currentThread().interrupt();
        scene.mine().close(MINUTE);
        assertThat(Thread.interrupted()).isTrue();

        scene.pass(MINUTE.minusSeconds(1));
        assertThat(scene.myBackend().renewals()).isPositive();
        assertThat(isFree()).isFalse();
        scene.pass(TwoProcesses.TTL.plusSeconds(1));
        assertThat(isFree()).isTrue();
        end.countDown();
        assertThat(task.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void leasesLocksAndPermitsKeepTheirSlotAfterTheCloseUntilTheyReleaseIt() throws Exception {
        Lease lease = scene.mine().lease(JOB);
        LeaseLock lock = new LeaseLock(scene.mine(), "lock");
        LeasePermit permit = new LeaseSemaphore(scene.mine(), "permit", 1).acquire();
        assertThat(new BlockingLease(lease).acquire(Duration.ZERO)).isPresent();
        lock.lock();
        try {
            scene.mine().close(Duration.ZERO);
            assertThat(lease.checkAlive()).isTrue();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(permit.isAlive()).isTrue();
            assertThat(List.of(isFree("job"), isFree("lock"), isFree("permit"))).containsOnly(false);
        } finally {
            lock.unlock();
        }
        new BlockingLease(lease).release();
        permit.release();
        assertThat(List.of(isFree("job"), isFree("lock"), isFree("permit"))).containsOnly(true);
    }

    @Test
    void theWorkIsNotifiedOnceAndTheLeaseIsClosedAfterIt() throws Exception {
        Lease lease = scene.mine().lease(JOB);
        List<LostEvent> events = new ArrayList<>();
        lease.onLost(events::add);
        LeaseGrant grant = new BlockingLease(lease).acquire(Duration.ZERO).orElseThrow();
        scene.mine().close(Duration.ZERO);

        LostEvent lost = grant.lost().toCompletableFuture().get();
        assertThat(lost.reason()).isEqualTo(LostReason.BACKEND_CLOSED);
        assertThat(grant.isAlive()).isTrue();
        assertThatThrownBy(() -> new BlockingLease(lease).acquire(Duration.ZERO))
                .isInstanceOf(LeaseClosedException.class);
        scene.pass(TwoProcesses.TTL);
        assertThat(grant.isAlive()).isFalse();
        assertThat(events).containsExactly(lost);
    }

    @Test
    void aClaimThatWaitsFailsAsClosed() throws Exception {
        BlockingLease other = new BlockingLease(scene.other().lease(JOB));
        assertThat(other.acquire(Duration.ZERO)).isPresent();
        BackgroundCall<Optional<LeaseGrant>> waiter =
                BackgroundCall.start(() -> new BlockingLease(scene.mine().lease(JOB)).acquire(MINUTE));
        scene.myBackend().awaitQueued();
        scene.mine().close(Duration.ZERO);

        assertThat(waiter.failure()).isInstanceOf(LeaseClosedException.class);
        assertThatThrownBy(() -> scene.mine().lease(JOB)).isInstanceOf(LeaseClosedException.class);
    }

    @Test
    void aThreadKeepsItsLockWhileAnotherClosesIt() throws Exception {
        LeaseLock lock = new LeaseLock(scene.mine(), JOB);
        lock.lock();
        try {
            BackgroundCall<Boolean> closing = BackgroundCall.start(() -> {
                lock.close();
                return true;
            });
            assertThat(closing.get()).isTrue();
            assertThat(isFree()).isFalse();
        } finally {
            lock.unlock();
        }
        assertThat(isFree()).isTrue();
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseClosedException.class);
    }

    @Test
    void aLeaseThatIsClosedUnderItsTaskIsKeptUntilTheTaskEnds() throws Exception {
        BlockingLease lease = new BlockingLease(scene.mine().lease(JOB));
        BackgroundCall<TaskResult<String>> task =
                BackgroundCall.start(() -> lease.runExclusive(Duration.ZERO, this::stubborn));
        begun.await();
        lease.close();
        interrupted.await();

        assertThat(isFree()).isFalse();
        end.countDown();
        assertThat(task.get().value()).isEqualTo("done while held");
        assertThat(isFree()).isTrue();
        assertThatThrownBy(() -> lease.runExclusive(Duration.ZERO, grant -> "again"))
                .isInstanceOf(LeaseClosedException.class);
    }

    @Test
    void whatHoldsNothingIsNotKeptByItsProvider() throws Exception {
        List<WeakReference<Object>> idle = new ArrayList<>();
        idle.add(new WeakReference<>(scene.mine().lease("never-used")));
        idle.add(new WeakReference<>(new LeaseLock(scene.mine(), "a-lock")));
        idle.add(new WeakReference<>(usedLease()));
        Lease held = scene.mine().lease(JOB);
        assertThat(new BlockingLease(held).acquire(Duration.ZERO)).isPresent();

        while (idle.stream().anyMatch(each -> each.get() != null)) {
            System.gc();
            Thread.sleep(1);
        }
        assertThat(held.checkAlive()).isTrue();
    }

    private Lease usedLease() throws InterruptedException {
        Lease lease = scene.mine().lease("used");
        BlockingLease blocking = new BlockingLease(lease);
        assertThat(blocking.acquire(Duration.ZERO)).isPresent();
        blocking.release();
        return lease;
    }

    @Test
    void aHeldLeaseThatTheCallerForgotIsStillNotified() throws Exception {
        LeaseGrant grant = new BlockingLease(scene.mine().lease(JOB))
                .acquire(Duration.ZERO)
                .orElseThrow();
        System.gc();
        scene.mine().close(Duration.ZERO);

        assertThat(grant.lost().toCompletableFuture().get().reason()).isEqualTo(LostReason.BACKEND_CLOSED);
    }
}
