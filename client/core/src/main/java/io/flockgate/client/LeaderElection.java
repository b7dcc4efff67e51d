package io.flockgate.client;

import io.flockgate.client.BlockingLease.HeldRun;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Seconds;
import io.flockgate.client.support.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
 *   <li>After {@link Leadership#stepDown()}, {@code resigned} is called, the slot is released, and
 *       the next campaign begins after about two seconds.
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
 *     public void elected(Leadership term) {
 *         start(term);
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
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile @Nullable LeaseGrant leading;

    /** Guards the fields below. */
    private final Object lock = new Object();

    /** The current term as the leader, until the slot is released; null otherwise. */
    private @Nullable Term office;

    private Subscription pause = () -> {};
    private boolean closed;

    private LeaderElection(LeaseProvider leases, LeaseOptions options, LeaderListener listener) {
        Checks.that(options.limit() == 1, "a leader has limit 1, not " + options.limit());
        this.lease = leases.lease(options);
        this.listener = listener;
        this.environment = leases instanceof ManagedLeases managed ? managed.environment : LeaseEnvironment.system();
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
        LeaseGrant grant = leading;
        return grant != null && grant.isAlive();
    }

    /** The grant of the leader; empty if this candidate is not the leader. */
    public Optional<LeaseGrant> grant() {
        LeaseGrant grant = leading;
        return isLeader() ? Optional.ofNullable(grant) : Optional.empty();
    }

    private void campaign() {
        Stages.ask(() -> lease.acquire(Stages.LONGEST), this::answered, this::failed);
    }

    private void answered(Optional<LeaseGrant> grant) {
        if (grant.isPresent()) {
            Threads.run(environment.callbackExecutor(), () -> lead(grant.get()));
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
        Subscription timer = environment.timers().after(time, this::campaign);
        synchronized (lock) {
            pause = timer;
            if (closed) {
                timer.close();
            }
        }
    }

    /**
     * One term as the leader, on the callback executor until {@link LeaderListener#elected} has
     * returned.
     */
    private void lead(LeaseGrant grant) {
        Term term = new Term(grant);
        synchronized (lock) {
            if (closed) {
                return;
            }
            office = term;
            leading = grant;
        }
        boolean worked = elected(term);
        CompletableFuture<?> over = worked
                ? CompletableFuture.anyOf(grant.lost().toCompletableFuture(), term.ending)
                : CompletableFuture.completedFuture(null);
        var unused = over.whenComplete(
                (event, failure) -> Threads.run(environment.callbackExecutor(), () -> resign(term, worked)));
    }

    /** False if the listener failed on its own. */
    private boolean elected(Term term) {
        try {
            Object unused = term.run.run(HeldRun.task(grant -> listener.elected(term)));
        } catch (Throwable thrown) {
            boolean ending =
                    term.ending.isDone() || term.lost().toCompletableFuture().isDone();
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
    private void resign(Term term, boolean worked) {
        leading = null;
        try {
            listener.resigned();
        } catch (Throwable thrown) {
            LOG.log(Level.ERROR, "election " + name() + ": the listener failed when it resigned", thrown);
        }
        Stages.ask(lease::release, released -> next(term, worked), unconfirmed -> next(term, worked));
    }

    private void next(Term term, boolean worked) {
        boolean last;
        synchronized (lock) {
            office = null;
            last = closed;
        }
        if (last) {
            end();
        } else if (worked && !term.ending.isDone()) {
            failures.set(0);
            campaign();
        } else {
            // The second pause, for a leader that stepped down.
            failures.updateAndGet(before -> worked ? 1 : before);
            later();
        }
    }

    private void end() {
        Stages.forward(lease.closeAsync(), ended);
    }

    /**
     * Ends the campaign or the leadership, as described above, and waits at most five seconds for
     * that. Afterwards the listener is no longer called, unless it is still running. A second call
     * only waits.
     */
    @Override
    public void close() {
        Term present;
        boolean first;
        synchronized (lock) {
            first = !closed;
            closed = true;
            present = office;
            pause.close();
        }
        if (present == null) {
            end();
        } else if (first) {
            present.ending.complete(null);
            present.run.interrupt();
        }
        if (Stages.await(ended, CLOSING) != null) {
            LOG.log(Level.WARNING, "election {0}: closed, but its end is not confirmed", name());
        }
    }

    /** One term as the leader, on the thread that creates this. */
    private final class Term implements Leadership {
        private final LeaseGrant grant;
        private final HeldRun run;
        private final Thread thread = Thread.currentThread();

        /** Completes when the leader steps down, or the election is closed. */
        private final CompletableFuture<Void> ending = new CompletableFuture<>();

        Term(LeaseGrant grant) {
            this.grant = grant;
            this.run = new HeldRun(name(), grant);
        }

        @Override
        public void stepDown() {
            if (ending.complete(null) && !Thread.currentThread().equals(thread)) {
                run.interrupt();
            }
        }

        @Override
        public String token() {
            return grant.token();
        }

        @Override
        public OptionalLong fence() {
            return grant.fence();
        }

        @Override
        public boolean isAlive() {
            return grant.isAlive();
        }

        @Override
        public Duration remaining() {
            return grant.remaining();
        }

        @Override
        public CompletionStage<LostEvent> lost() {
            return grant.lost();
        }

        @Override
        public CompletionStage<Boolean> ensure(Duration atLeast) {
            return grant.ensure(atLeast);
        }

        @Override
        public String toString() {
            return grant.toString();
        }
    }

    @Override
    public String toString() {
        return "candidate for " + name() + (isLeader() ? ", the leader" : "");
    }
}
