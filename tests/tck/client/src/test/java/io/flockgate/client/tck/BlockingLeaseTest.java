package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.TaskResult;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases for blocking code. */
@Timeout(60)
final class BlockingLeaseTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    final TwoProcesses scene = new TwoProcesses();

    private final BlockingLease lease = lease(scene.mine);
    private final BlockingLease other = lease(scene.other);
    private final CountDownLatch begun = new CountDownLatch(1);

    private static BlockingLease lease(LeaseProvider leases) {
        return new BlockingLease(leases.lease(TwoProcesses.options("job")));
    }

    /** Work that ends only when interrupted. */
    private String endless(LeaseGrant grant) throws InterruptedException {
        begun.countDown();
        new CountDownLatch(1).await();
        return "unreachable, with " + grant;
    }

    @Test
    void aTaskMayHaveNoResult() throws Exception {
        AtomicReference<LeaseGrant> held = new AtomicReference<>();
        assertThat(lease.runExclusiveWithoutResult(Duration.ZERO, held::set)).isTrue();
        assertThat(held.get().isAlive()).isFalse();
        assertThat(scene.mine.runExclusiveWithoutResult(TwoProcesses.options("job"), Duration.ZERO, held::set))
                .isTrue();

        Optional<LeaseGrant> acquired = lease.acquire(Duration.ZERO);
        lease.runWhileHeldWithoutResult(held::set);
        assertThat(acquired).contains(held.get());
        assertThat(lease.checkAlive()).isFalse();

        assertThat(other.acquire(Duration.ZERO)).isPresent();
        assertThat(lease.runExclusiveWithoutResult(Duration.ZERO, held::set)).isFalse();
    }

    @Test
    void anInterruptEndsTheWaitAndLeavesNothing() throws Exception {
        assertThat(other.acquire(Duration.ZERO)).isPresent();
        BackgroundCall<Optional<LeaseGrant>> waiter = BackgroundCall.start(() -> lease.acquire(MINUTE));
        scene.myBackend.awaitQueued();
        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        other.release();
        assertThat(lease.checkAlive()).isFalse();
        assertThat(lease(scene.other).acquire(Duration.ZERO)).isPresent();
    }

    @Test
    void whatTheServerDoesNotHearIsThrown() throws Exception {
        assertThat(lease.acquire(Duration.ZERO)).isPresent();
        scene.myBackend.cut();
        BackgroundCall<Void> release = BackgroundCall.start(() -> {
            lease.release();
            return null;
        });
        scene.myBackend.awaitRelease();
        scene.pass(TwoProcesses.TTL.dividedBy(4));

        assertThat(release.failure()).isInstanceOf(LeaseReleaseException.class);
        assertThat(lease.checkAlive()).isFalse();
        assertThatThrownBy(() -> lease.acquire(Duration.ZERO)).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void aTaskRunsWhileTheSlotIsHeld() throws Exception {
        TaskResult<String> result = lease.runExclusive(MINUTE, grant -> {
            assertThat(grant.isAlive()).isTrue();
            assertThat(other.acquire(Duration.ZERO)).isEmpty();
            return "done under fence " + grant.fence().isPresent();
        });

        assertThat(result.value()).isEqualTo("done under fence true");
        assertThat(other.acquire(Duration.ZERO)).isPresent();
    }

    @Test
    void aTaskDoesNotRunWithoutTheSlot() throws Exception {
        assertThat(other.acquire(Duration.ZERO)).isPresent();
        AtomicBoolean ran = new AtomicBoolean();

        assertThat(lease.runExclusive(Duration.ZERO, grant -> ran.getAndSet(true)))
                .isEqualTo(new TaskResult<>(false, null));
        assertThatThrownBy(() -> lease.runWhileHeld(grant -> ran.getAndSet(true)))
                .isInstanceOf(IllegalStateException.class);

        assertThat(ran).isFalse();
    }

    @Test
    void whatATaskThrowsComesOutAndTheSlotIsGivenBack() throws Exception {
        assertThatThrownBy(() -> lease.runExclusive(MINUTE, grant -> {
                    throw new IOException("thrown by the task");
                }))
                .isInstanceOf(IOException.class);

        assertThat(other.acquire(Duration.ZERO)).isPresent();
    }

    @Test
    void aLossInterruptsTheTask() throws Exception {
        BackgroundCall<TaskResult<String>> run = BackgroundCall.start(() -> lease.runExclusive(MINUTE, this::endless));
        begun.await();
        scene.revoke("job");

        assertThat(run.failure())
                .isInstanceOf(LeaseLostException.class)
                .hasMessageStartingWith("the lease of job was lost: REVOKED, ")
                .hasCauseInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTaskThatEndsWellAfterALossHasFailedEvenIfNoTimerHasSeenIt(boolean unseen) {
        assertThatThrownBy(() -> lease.runExclusive(MINUTE, grant -> {
                    if (unseen) {
                        scene.stall(TwoProcesses.TTL);
                    } else {
                        scene.revoke("job");
                    }
                    return "too late";
                }))
                .isInstanceOf(LeaseLostException.class);

        assertThat(Thread.interrupted())
                .as("the interrupt has left with the task")
                .isFalse();
    }

    @Test
    void anInterruptOfTheCallerDuringTheTaskStaysSet() throws Exception {
        BackgroundCall<Boolean> run = BackgroundCall.start(() -> {
            TaskResult<String> result = lease.runExclusive(MINUTE, grant -> {
                Thread.currentThread().interrupt();
                return "done";
            });
            return result.ran() && Thread.interrupted();
        });

        assertThat(run.get()).isTrue();
        assertThat(other.acquire(Duration.ZERO)).isPresent();
    }

    @Test
    void twoTasksOfOneObjectDoNotOverlap() throws Exception {
        AtomicReference<Throwable> second = new AtomicReference<>();
        lease.runExclusive(MINUTE, grant -> {
            BackgroundCall<TaskResult<String>> overlapping =
                    BackgroundCall.start(() -> lease.runExclusive(MINUTE, inner -> "overlaps"));
            second.set(overlapping.failure());
            return "done";
        });

        assertThat(second.get()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aProviderRunsTasksOfSeveralThreadsOneAfterTheOther() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Callable<TaskResult<Long>> work = () -> scene.mine.runExclusive(TwoProcesses.options("job"), MINUTE, grant -> {
            begun.countDown();
            end.await();
            return grant.fence().getAsLong();
        });
        BackgroundCall<TaskResult<Long>> first = BackgroundCall.start(work);
        begun.await();
        BackgroundCall<TaskResult<Long>> second = BackgroundCall.start(work);
        scene.myBackend.awaitQueued();
        end.countDown();

        assertThat(second.get().value()).isGreaterThan(first.get().value());
    }
}
