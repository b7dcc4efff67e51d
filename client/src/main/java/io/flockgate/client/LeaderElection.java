package io.flockgate.client;

import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.Reasons;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A candidate for the leadership among processes, which campaigns until it is closed.
 *
 * <ol>
 *   <li>It waits for the slot of the name, first come, first served.
 *   <li>Once it has the slot, it is the leader: {@link LeaderListener#elected} is called, and the
 *       client keeps renewing the slot.
 *   <li>After a loss, {@link LeaderListener#resigned} is called, and then the next campaign begins.
 *   <li>A campaign that fails, for example because no server can be reached, begins again after a
 *       pause that grows from a second to 30 seconds, indefinitely.
 *   <li>{@link #close()} ends the campaign. If this candidate is the leader, {@code resigned} is
 *       called first, and then the slot is released, so that the next leader begins only when the
 *       work has ended.
 * </ol>
 *
 * <p>Two candidates may both act as the leader for a moment if a process was paused beyond its
 * lease: give the fence of the grant to the resource. Safe from any thread.
 *
 * {@snippet :
 * LeaderElection election = LeaderElection.start(leases, "leader", new LeaderListener() {
 *     public void elected(Grant grant) {
 *         start(grant);
 *     }
 *
 *     public void resigned() {
 *         stop();
 *     }
 * });
 * }
 */
public final class LeaderElection implements AutoCloseable {
    private static final Logger LOG = System.getLogger("io.flockgate.client");
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Lease lease;
    private final LeaderListener listener;
    private final LeaseEnvironment environment;
    /** Completes when this election is closed while this candidate is the leader. */
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final LatestSubscription pause = new LatestSubscription();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile @Nullable Grant leading;

    /** Guards the fields below. */
    private final Object lock = new Object();

    /** The current term as the leader, until the slot is released; null otherwise. */
    private @Nullable HeldRun office;

    private boolean closed;

    private LeaderElection(LeaseProvider leases, LeaseOptions options, LeaderListener listener) {
        Checks.that(options.limit() == 1, "a leader has limit 1, not " + options.limit());
        this.lease = leases.lease(options);
        this.listener = listener;
        this.environment = leases instanceof ManagedLeases managed ? managed.environment() : LeaseEnvironment.system();
    }

    /**
     * Starts campaigning, and returns at once.
     *
     * @param options with limit 1. All candidates must use the same name
     * @throws LeaseConfigException if the limit is different, or the back end does not support the
     *     options
     * @throws LeaseClosedException if the provider is closed
     */
    public static LeaderElection start(LeaseProvider leases, LeaseOptions options, LeaderListener listener) {
        Checks.given("leases", leases);
        Checks.given("options", options);
        LeaderElection election = new LeaderElection(leases, options, Checks.given("listener", listener));
        election.campaign();
        return election;
    }

    /** Starts campaigning with default options. */
    public static LeaderElection start(LeaseProvider leases, String name, LeaderListener listener) {
        Checks.given("leases", leases);
        return start(leases, LeaseOptions.of(name), listener);
    }

    /** The name that the candidates compete for. */
    public String name() {
        return lease.name();
    }

    /**
     * Returns whether this process is the leader now, to the best of its knowledge, without
     * waiting; see {@link Lease#checkAlive()}.
     */
    public boolean isLeader() {
        Grant grant = leading;
        return grant != null && grant.isAlive();
    }

    /** The grant of the leader; empty if this candidate is not the leader. */
    public Optional<Grant> grant() {
        Grant grant = leading;
        return isLeader() ? Optional.ofNullable(grant) : Optional.empty();
    }

    private void campaign() {
        Callbacks.ask(() -> lease.acquire(Waits.LONGEST), this::answered, this::failed);
    }

    private void answered(Optional<Grant> grant) {
        if (grant.isPresent()) {
            Callbacks.run(environment, () -> lead(grant.get()));
        } else {
            campaign();
        }
    }

    private void failed(Throwable failure) {
        if (failure instanceof LeaseClosedException) {
            end();
            return;
        }
        if (!(failure instanceof LeaseUnavailableException)) {
            // A failure of that kind is logged with the claim.
            LOG.log(Level.WARNING, "election {0}: the campaign failed: {1}", name(), Reasons.of(failure));
        }
        later();
    }

    private void later() {
        Duration time = BACKOFF.after(failures.incrementAndGet(), environment.random());
        LOG.log(Level.DEBUG, "election {0}: the next campaign begins in {1}", name(), Seconds.of(time));
        pause.replace(environment.scheduler().after(time, this::campaign));
    }

    /**
     * One term as the leader, on the callback executor until {@link LeaderListener#elected} has
     * returned.
     */
    private void lead(Grant grant) {
        HeldRun run = new HeldRun(name(), grant);
        synchronized (lock) {
            if (closed) {
                return;
            }
            office = run;
            leading = grant;
        }
        boolean worked = elected(run, grant);
        CompletableFuture<?> over = worked
                ? CompletableFuture.anyOf(grant.lost().toCompletableFuture(), closing)
                : CompletableFuture.completedFuture(null);
        var unused = over.whenComplete((event, failure) -> Callbacks.run(environment, () -> resign(worked)));
    }

    /** False if the listener failed on its own. */
    private boolean elected(HeldRun run, Grant grant) {
        try {
            boolean unused = run.run(HeldRun.task(listener::elected));
        } catch (Throwable thrown) {
            boolean ending =
                    closing.isDone() || grant.lost().toCompletableFuture().isDone();
            if (ending || thrown instanceof LeaseLostException) {
                return true;
            }
            LOG.log(Level.ERROR, "election " + name() + ": the listener failed when it was elected", thrown);
            return false;
        }
        return true;
    }

    /**
     * @param worked false if the listener failed; the next campaign then waits to give other
     *     candidates a chance
     */
    private void resign(boolean worked) {
        leading = null;
        try {
            listener.resigned();
        } catch (Throwable thrown) {
            LOG.log(Level.ERROR, "election " + name() + ": the listener failed when it resigned", thrown);
        }
        Callbacks.ask(lease::release, released -> next(worked), unconfirmed -> next(worked));
    }

    private void next(boolean worked) {
        boolean last;
        synchronized (lock) {
            office = null;
            last = closed;
        }
        if (last) {
            end();
        } else if (worked) {
            failures.set(0);
            campaign();
        } else {
            later();
        }
    }

    private void end() {
        Callbacks.forward(lease.closeAsync(), ended);
    }

    /**
     * Ends the campaign or the leadership, as described above, and waits at most five seconds for
     * that. Afterwards the listener is no longer called, unless it is still running. A second call
     * only waits.
     */
    @Override
    public void close() {
        HeldRun present;
        synchronized (lock) {
            closed = true;
            present = office;
        }
        pause.close();
        if (present == null) {
            end();
        } else if (closing.complete(null)) {
            present.interrupt();
        }
        try {
            ended.get(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            LOG.log(Level.WARNING, "election {0}: closed, but its end is not confirmed", name());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "candidate for " + name() + (isLeader() ? ", the leader" : "");
    }
}
