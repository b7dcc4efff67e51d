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
import io.flockgate.client.LostReason;
import io.flockgate.client.TaskResult;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider, a lease or a lock that is closed while work holds a slot. */
@Timeout(60)
// These tests are about what a lock does without a try block around it.
@SuppressWarnings("LockNotBeforeTry")
final class ProviderCloseTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final List<String> NAMES = List.of("job", "lock", "permit");
    private static final LeaseOptions JOB = TwoProcesses.options("job");

    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final BlockingLease lease = new BlockingLease(scene.mine.lease(JOB));
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

    private BackgroundCall<TaskResult<String>> stubbornTask(BlockingLease lease) throws InterruptedException {
        BackgroundCall<TaskResult<String>> task =
                BackgroundCall.start(() -> lease.runExclusive(Duration.ZERO, this::stubborn));
        begun.await();
        return task;
    }

    private boolean isFree() {
        return scene.isFree("job");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTaskIsInterruptedAndKeepsItsSlotUntilItEnds(boolean byProvider) throws Exception {
        BackgroundCall<TaskResult<String>> task = stubbornTask(lease);
        BackgroundCall<Boolean> closing = BackgroundCall.start(() -> {
            if (byProvider) {
                scene.mine.close(MINUTE);
            } else {
                lease.close();
            }
            return true;
        });
        interrupted.await();

        assertThat(isFree()).isFalse();
        end.countDown();
        assertThat(task.get().value()).isEqualTo("done while held");
        assertThat(closing.get()).isTrue();
        assertThat(isFree()).isTrue();
        assertThatThrownBy(() -> lease.runExclusive(Duration.ZERO, grant -> "again"))
                .isInstanceOf(LeaseClosedException.class);
    }

    @Test
    void aCloseThatIsInterruptedLeavesTheWorkItsTime() throws Exception {
        BackgroundCall<TaskResult<String>> task = stubbornTask(lease);
        Thread.currentThread().interrupt();
        scene.mine.close(MINUTE);
        assertThat(Thread.interrupted()).isTrue();

        scene.pass(MINUTE.minusSeconds(1));
        assertThat(scene.myBackend.renewals()).isPositive();
        assertThat(isFree()).isFalse();
        scene.pass(TwoProcesses.TTL.plusSeconds(1));
        assertThat(isFree()).isTrue();
        end.countDown();
        assertThat(task.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void leasesLocksAndPermitsKeepTheirSlotAfterTheCloseUntilTheyReleaseIt() throws Exception {
        LeaseLock lock = new LeaseLock(scene.mine, "lock");
        LeasePermit permit = new LeaseSemaphore(scene.mine, "permit", 1).acquire();
        assertThat(lease.acquire(Duration.ZERO)).isPresent();
        lock.lock();
        scene.mine.close(Duration.ZERO);

        assertThat(List.of(lease.checkAlive(), lock.isHeldByCurrentThread(), permit.isAlive()))
                .containsOnly(true);
        assertThat(NAMES).noneMatch(scene::isFree);
        lock.unlock();
        lease.release();
        permit.release();
        assertThat(NAMES).allMatch(scene::isFree);
    }

    @Test
    void aThreadKeepsItsLockWhileAnotherClosesIt() throws Exception {
        LeaseLock lock = new LeaseLock(scene.mine, JOB);
        lock.lock();
        BackgroundCall<Boolean> closing = BackgroundCall.start(() -> {
            lock.close();
            return true;
        });
        assertThat(closing.get()).isTrue();
        assertThat(isFree()).isFalse();
        lock.unlock();

        assertThat(isFree()).isTrue();
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseClosedException.class);
    }

    @Test
    void aProviderKeepsAndNotifiesOnlyWhatHoldsASlotEvenIfTheCallerForgotIt() throws Exception {
        List<WeakReference<Object>> idle = List.of(
                new WeakReference<>(scene.mine.lease("never-used")),
                new WeakReference<>(new LeaseLock(scene.mine, "a-lock")),
                new WeakReference<>(usedLease()));
        LeaseGrant grant =
                new BlockingLease(scene.mine.lease(JOB)).acquire(Duration.ZERO).orElseThrow();
        while (idle.stream().anyMatch(each -> each.get() != null)) {
            System.gc();
            Thread.sleep(1);
        }
        scene.mine.close(Duration.ZERO);

        assertThat(grant.lost().toCompletableFuture().get().reason()).isEqualTo(LostReason.BACKEND_CLOSED);
        assertThatThrownBy(() -> scene.mine.lease(JOB)).isInstanceOf(LeaseClosedException.class);
    }

    private Lease usedLease() throws InterruptedException {
        Lease used = scene.mine.lease("used");
        BlockingLease blocking = new BlockingLease(used);
        assertThat(blocking.acquire(Duration.ZERO)).isPresent();
        blocking.release();
        return used;
    }
}
