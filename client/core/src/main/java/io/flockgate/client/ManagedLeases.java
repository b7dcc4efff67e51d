package io.flockgate.client;

import io.flockgate.client.support.RareLog;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;

/**
 * The leases over one back end, until it is closed. Closing takes no slot from the work under it:
 *
 * <ol>
 *   <li>Every lease is shut down: claims end, and the work under a grant is notified.
 *   <li>Wait until all work has released its slot, at most for the given time. If the thread is
 *       interrupted, the call returns, and the work has the rest of that time.
 *   <li>Stop renewing the slots that are still held, so that they expire.
 *   <li>Close the back end once nothing is held, possibly after the call has returned.
 * </ol>
 */
final class ManagedLeases implements LeaseProvider {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MOST_LOSSES = 20;

    final LeaseBackend backend;
    final LeaseEnvironment environment;

    /**
     * Claims without a certain answer, renewals that fail, and losses: few lines, however many
     * leases are hit.
     */
    final RareLog claims;

    final RareLog renewals;
    final RareLog losses;

    /**
     * Weak, because only a lease that holds or claims something must be closed, and its timers or
     * its claim keep a reference to it.
     */
    private final Set<ManagedLease> leases =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private volatile boolean closed;

    ManagedLeases(LeaseBackend backend, LeaseEnvironment environment) {
        this.backend = backend;
        this.environment = environment;
        this.claims = log("claims", 1);
        this.renewals = log("renewals", 1);
        this.losses = log("losses", MOST_LOSSES);
    }

    private RareLog log(String topic, int most) {
        return new RareLog(
                environment.logger(topic), environment.timers()::nanos, most, environment.callbackExecutor());
    }

    @Override
    public Lease lease(LeaseOptions options) {
        Checks.given("options", options);
        backend.check(options);
        String incarnation = HexFormat.of().toHexDigits(RANDOM.nextLong());
        ManagedLease lease = new ManagedLease(this, options, backend.clientName() + "-" + incarnation);
        leases.add(lease);
        if (closed) {
            CompletableFuture<Void> unused = lease.closeFuture();
            throw new LeaseClosedException("the provider of leases is closed");
        }
        return lease;
    }

    @Override
    public void close(Duration wait) {
        Checks.that(!Checks.given("wait", wait).isNegative(), "the wait must not be negative");
        closed = true;
        List<ManagedLease> all;
        synchronized (leases) {
            all = List.copyOf(leases);
        }
        CompletableFuture<Void> ended = allOf(all);
        List<ManagedLease> held = all.stream().filter(ManagedLease::isHeld).toList();
        Duration left = await(ended, Moment.min(wait, Stages.LONGEST));
        if (left.isZero()) {
            held.forEach(ManagedLease::letRunOut);
        } else {
            Subscription later = environment.timers().after(left, () -> held.forEach(ManagedLease::letRunOut));
            var unused = ended.whenComplete((done, failure) -> later.close());
        }
        CompletableFuture<Void> unused = allOf(held).whenComplete((done, failure) -> backend.close());
    }

    /** The time that is left of the wait: zero, unless this thread was interrupted. */
    private Duration await(CompletableFuture<Void> ended, Duration wait) {
        long start = environment.timers().nanos();
        // A slot that is not released is free when its lease expires.
        Exception unused = Stages.await(ended, wait);
        return Thread.currentThread().isInterrupted()
                ? Moment.max(Duration.ZERO, wait.minusNanos(environment.timers().nanos() - start))
                : Duration.ZERO;
    }

    private static CompletableFuture<Void> allOf(List<ManagedLease> leases) {
        return CompletableFuture.allOf(
                leases.stream().map(ManagedLease::shutdownFuture).toArray(CompletableFuture[]::new));
    }
}
