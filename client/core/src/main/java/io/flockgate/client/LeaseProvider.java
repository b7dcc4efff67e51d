package io.flockgate.client;

import io.flockgate.client.BlockingLease.HeldAction;
import io.flockgate.client.BlockingLease.HeldRun;
import io.flockgate.client.BlockingLease.HeldTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A source of leases over one back end. Thread safe.
 *
 * {@snippet :
 * TaskResult<String> result = leases.runExclusive(
 *         LeaseOptions.of("report"), Duration.ofSeconds(30), grant -> report(grant.fence().orElseThrow()));
 * }
 */
public interface LeaseProvider extends AutoCloseable {
    /**
     * Creates a lease that is not yet acquired. Two leases of one name compete as if they belonged
     * to different processes.
     *
     * @throws LeaseConfigException if the back end does not support the options
     * @throws LeaseClosedException after {@link #close()}
     */
    Lease lease(LeaseOptions options);

    /** Creates a lease with default options: limit 1, and a length of 30 seconds. */
    default Lease lease(String name) {
        return lease(LeaseOptions.of(name));
    }

    /**
     * Runs a task on the calling thread while it holds a slot of the name. Each call runs {@link
     * BlockingLease#runExclusive} with its own lease, so that tasks on several threads exclude each
     * other as well.
     *
     * @param wait the maximum time to wait for the slot; zero tries once
     * @return whether the task ran, and what it returned
     * @throws LeaseLostException if the grant was lost before the task ended
     * @throws LeaseUnavailableException if it is unknown whether this client holds the slot. The
     *     task did not run
     * @throws LeaseRefusedException if a limit of the server is reached. The task did not run
     * @throws Exception any exception that the task throws while the slot is held
     */
    default <T extends @Nullable Object> TaskResult<T> runExclusive(
            LeaseOptions options, Duration wait, HeldTask<T> task) throws Exception {
        try (BlockingLease lease = new BlockingLease(lease(options))) {
            return lease.runExclusive(wait, task);
        }
    }

    /**
     * {@link #runExclusive} for a task that has no result.
     *
     * @return true if the task ran; false if other clients held all slots until the wait ended
     */
    default boolean runExclusiveWithoutResult(LeaseOptions options, Duration wait, HeldAction action) throws Exception {
        Checks.given("action", action);
        return runExclusive(options, wait, HeldRun.task(action)).ran();
    }

    /**
     * Closes this provider without taking slots away from running work. No further claim begins,
     * and waiting claims fail with {@link LeaseClosedException}. Work under a grant is notified:
     * {@link LeaseGrant#lost()} and the handlers report {@link LostReason#BACKEND_CLOSED}, and the
     * thread of a {@link HeldTask} is interrupted. Each slot is freed when its work releases it. A
     * slot that is still held after the wait is no longer renewed and expires; its connection stays
     * open until then.
     *
     * <p>If the calling thread is interrupted, for instance because it runs such a task itself, the
     * call returns at once. The other work keeps its slots for the rest of the wait.
     *
     * @param wait the maximum time to wait for the release of all slots; zero does not wait
     */
    void close(Duration wait);

    /** {@link #close(Duration)} with a wait of five seconds. */
    @Override
    default void close() {
        close(Duration.ofSeconds(5));
    }
}
