package io.flockgate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A source of leases over one back end. Safe from any thread.
 *
 * {@snippet :
 * Optional<String> result = leases.runExclusive(
 *         LeaseOptions.of("report"), Duration.ofSeconds(30), grant -> report(grant.fence().orElseThrow()));
 * }
 */
public interface LeaseProvider extends AutoCloseable {
    /**
     * A lease of its own, not yet acquired. Two leases of one name compete like strangers.
     *
     * @throws LeaseConfigException if the back end cannot do what the options ask for
     * @throws LeaseClosedException after {@link #close()}
     */
    Lease lease(LeaseOptions options);

    /** A lease with default options: limit 1, and a time of 30 seconds. */
    default Lease lease(String name) {
        return lease(LeaseOptions.of(name));
    }

    /**
     * Runs a task on this thread while it holds a slot of the name: {@link
     * BlockingLease#runExclusive} with a lease of its own. So tasks of several threads exclude each
     * other as well.
     *
     * @param wait the longest time to wait for the slot; zero tries once
     * @return the result of the task; empty if others had all slots until the time was over, and
     *     the task did not run
     * @throws LeaseLostException if the grant was lost before the task ended
     * @throws LeaseUnavailableException if it is unknown whether we have the slot. The task did not
     *     run
     * @throws LeaseRefusedException if a limit of the server is reached. The task did not run
     * @throws IllegalStateException if the task returned null, after it has run
     * @throws Exception what the task throws while the slot is held
     */
    default <T> Optional<T> runExclusive(LeaseOptions options, Duration wait, HeldTask<T> task) throws Exception {
        Checks.given("options", options);
        Checks.given("wait", wait);
        Checks.given("task", task);
        try (BlockingLease lease = new BlockingLease(lease(options))) {
            return lease.runExclusive(wait, task);
        }
    }

    /**
     * {@link #runExclusive} for a task that has no result.
     *
     * @return true if the task ran; false if others had all slots until the time was over
     */
    default boolean runExclusiveWithoutResult(LeaseOptions options, Duration wait, HeldAction action) throws Exception {
        Checks.given("action", action);
        return runExclusive(options, wait, HeldRun.task(action)).isPresent();
    }

    /**
     * Closes this provider without taking a slot from the work under it. No further claim begins,
     * and claims that wait fail with {@link LeaseClosedException}. Work under a grant is notified:
     * {@link Grant#lost()} and the handlers report {@link LostReason#BACKEND_CLOSED}, and the
     * thread of a {@link HeldTask} is interrupted. Each slot is given back when its work releases
     * it. A slot that is still held after the wait is renewed no more and runs out; its connection
     * stays open until then.
     *
     * @param wait the longest time to wait until all slots have been given back; zero does not wait
     */
    void close(Duration wait);

    /** {@link #close(Duration)} with a wait of five seconds. */
    @Override
    default void close() {
        close(Duration.ofSeconds(5));
    }
}
