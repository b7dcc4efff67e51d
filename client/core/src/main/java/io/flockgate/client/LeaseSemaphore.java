package io.flockgate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A semaphore across processes, with as many permits as the limit of its name. Each permit has its
 * own lease and grant, and any thread may release it. Waiters of all processes are served first
 * come, first served. Safe from any thread.
 *
 * {@snippet :
 * LeaseSemaphore pool = new LeaseSemaphore(leases, "pool", 5);
 * try (LeasePermit permit = pool.acquire()) {
 *     write(permit.grant().fence().orElseThrow());
 * }
 * }
 */
public final class LeaseSemaphore {
    private final LeaseProvider leases;
    private final LeaseOptions options;

    /** A semaphore with the limit of these options. All processes must use the same limit. */
    public LeaseSemaphore(LeaseProvider leases, LeaseOptions options) {
        this.leases = Checks.given("leases", leases);
        this.options = Checks.given("options", options);
    }

    /**
     * A semaphore with default options.
     *
     * @param permits the total number of permits across all processes, each of which must use the
     *     same number
     */
    public LeaseSemaphore(LeaseProvider leases, String name, long permits) {
        this(leases, LeaseOptions.named(name).limit(permits).build());
    }

    @Override
    public String toString() {
        return "semaphore " + options.name() + ", limit " + options.limit();
    }

    /**
     * Waits for a permit indefinitely.
     *
     * @throws InterruptedException if the thread was interrupted. A permit that arrives late is
     *     released
     * @throws LeaseUnavailableException if the result is unknown. A permit that arrives late is
     *     released
     * @throws LeaseRefusedException if a limit of the server is reached
     * @throws LeaseClosedException after the provider was closed
     */
    public LeasePermit acquire() throws InterruptedException {
        while (true) {
            Optional<LeasePermit> permit = tryAcquire(Stages.LONGEST);
            if (permit.isPresent()) {
                return permit.get();
            }
        }
    }

    /**
     * Acquires a permit if one is free at the server; otherwise returns empty. Fails like {@link
     * #acquire()}.
     */
    public Optional<LeasePermit> tryAcquire() throws InterruptedException {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Waits for a permit for at most this time; returns empty if none became free. Fails like
     * {@link #acquire()}.
     */
    public Optional<LeasePermit> tryAcquire(Duration wait) throws InterruptedException {
        Lease lease = leases.lease(options);
        Optional<LeaseGrant> grant = Optional.empty();
        try {
            grant = Stages.await(lease.acquire(wait));
            return grant.map(held -> new LeasePermit(lease, held));
        } finally {
            if (grant.isEmpty()) {
                lease.closeAsync();
            }
        }
    }
}
