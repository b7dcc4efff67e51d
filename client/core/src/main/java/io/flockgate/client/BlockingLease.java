package io.flockgate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lease for blocking code, suited to virtual and platform threads alike.
 *
 * <p>The lease belongs to this object, not to a thread: one thread may acquire it and another
 * release it. If several threads acquire it concurrently, they get the same grant. For mutual
 * exclusion between threads see {@link LeaseLock}, or give each thread its own lease. Safe from any
 * thread.
 *
 * {@snippet :
 * try (BlockingLease lease = new BlockingLease(leases.lease("ledger"))) {
 *     boolean ran = lease.runExclusiveWithoutResult(Duration.ofSeconds(30), grant -> write(grant.fence().orElseThrow()));
 * }
 * }
 */
public final class BlockingLease implements AutoCloseable {
    /**
     * Work with a result that may only be done while a slot is held. {@link
     * BlockingLease.HeldAction} is for work without one.
     *
     * @param <T> the type of its result
     */
    @FunctionalInterface
    public interface HeldTask<T extends @Nullable Object> {
        /**
         * Does the work. When the grant is lost, the thread is interrupted: the task must then end
         * soon, because another process may hold the slot.
         *
         * @param grant the grant that the work depends on. Give its fence to the resource
         */
        T run(LeaseGrant grant) throws Exception;
    }

    /**
     * Work without a result that may only be done while a slot is held. {@link HeldTask} is for
     * work with one.
     */
    @FunctionalInterface
    public interface HeldAction {
        /**
         * Does the work. When the grant is lost, the thread is interrupted: the action must then
         * end soon, because another process may hold the slot.
         *
         * @param grant the grant that the work depends on. Give its fence to the resource
         */
        void run(LeaseGrant grant) throws Exception;
    }

    private final Lease lease;
    private final AtomicReference<Use> use = new AtomicReference<>(Use.FREE);

    private enum Use {
        FREE,
        TASK,
        CLOSED
    }

    /** Wraps a lease that is not shared. */
    public BlockingLease(Lease lease) {
        this.lease = Checks.given("lease", lease);
    }

    /** The lease behind this facade, for example to listen for its loss. */
    public Lease lease() {
        return lease;
    }

    /**
     * Waits its turn for at most this time; zero tries once. Returns a grant that is already held
     * without a request.
     *
     * @return the grant; empty if other clients held all slots until the wait ended
     * @throws InterruptedException if the thread was interrupted. Nothing is held, nor will be: a
     *     grant that arrives late is released
     * @throws LeaseUnavailableException if the result is unknown. A grant that arrives late is
     *     released
     * @throws LeaseRefusedException if a limit of the server is reached
     * @throws LeaseAuthException if the server refuses this client
     * @throws LeaseConfigException if the time is negative, or the server refuses the options
     * @throws LeaseClosedException after {@link #close()}
     */
    public Optional<LeaseGrant> acquire(Duration wait) throws InterruptedException {
        return Stages.claim(lease, wait);
    }

    /**
     * Releases the slot and waits for the server's answer, at most for the request timeout; does
     * nothing if no slot is held.
     *
     * @throws LeaseReleaseException if the server did not confirm it. The slot is then free by the
     *     time its lease expires
     * @throws InterruptedException if the thread was interrupted. The release continues
     */
    public void release() throws InterruptedException {
        Stages.await(lease.release());
    }

    /** {@link Lease#checkAlive()}, without waiting. */
    public boolean checkAlive() {
        return lease.checkAlive();
    }

    /** The grant that is held now; empty if none is alive. */
    public Optional<LeaseGrant> current() {
        return lease.current();
    }

    /**
     * Runs a task on this thread while the slot is held, and then releases the slot.
     *
     * <p>If the grant is lost, this thread is interrupted, once. The method returns only when the
     * task has ended, and the slot is not released before. A release that the server did not
     * confirm is logged. The caller's own interrupts are left alone.
     *
     * @throws IllegalStateException if the slot is not held, because {@link #acquire} must be
     *     called first, or if another task of this object is running
     * @throws LeaseLostException if the grant was lost before the task ended. Its cause is what the
     *     task threw. The result of the task is discarded
     * @throws Exception what the task throws while the grant is held
     */
    public <T extends @Nullable Object> T runWhileHeld(HeldTask<T> task) throws Exception {
        Checks.given("task", task);
        return alone(() -> run(
                lease.current()
                        .orElseThrow(() -> new IllegalStateException("the lease of " + lease.name() + " is not held")),
                task));
    }

    /** {@link #runWhileHeld} for a task that has no result. */
    public void runWhileHeldWithoutResult(HeldAction action) throws Exception {
        Checks.given("action", action);
        Object unused = runWhileHeld(HeldRun.task(action));
    }

    /**
     * {@link #acquire} and {@link #runWhileHeld} in one.
     *
     * @return whether the task ran, and what it returned
     * @throws IllegalStateException if another task of this object is running
     */
    public <T extends @Nullable Object> TaskResult<T> runExclusive(Duration wait, HeldTask<T> task) throws Exception {
        Checks.given("task", task);
        return alone(() -> {
            Optional<LeaseGrant> grant = acquire(wait);
            return grant.isPresent() ? new TaskResult<>(true, run(grant.get(), task)) : new TaskResult<>(false, null);
        });
    }

    /**
     * {@link #runExclusive} for a task that has no result.
     *
     * @return true if the task ran; false if other clients held all slots until the wait ended
     */
    public boolean runExclusiveWithoutResult(Duration wait, HeldAction action) throws Exception {
        Checks.given("action", action);
        return runExclusive(wait, HeldRun.task(action)).ran();
    }

    private <T extends @Nullable Object> T alone(Callable<T> work) throws Exception {
        if (!use.compareAndSet(Use.FREE, Use.TASK)) {
            throw use.get() == Use.CLOSED
                    ? new LeaseClosedException("the lease of " + lease.name() + " is closed")
                    : new IllegalStateException("a task is already running under the lease of " + lease.name());
        }
        try {
            return work.call();
        } finally {
            boolean unused = use.compareAndSet(Use.TASK, Use.FREE);
        }
    }

    private <T extends @Nullable Object> T run(LeaseGrant grant, HeldTask<T> task) throws Exception {
        try {
            return new HeldRun(lease.name(), grant).run(task);
        } finally {
            Stages.releaseQuietly(lease);
        }
    }

    /**
     * Closes the lease for good, see {@link Lease#close()}. While a task is running, shuts the
     * lease down instead, without waiting: the task is interrupted, and the slot is released when
     * it has ended, see {@link Lease#shutdown()}.
     */
    @Override
    public void close() {
        if (use.getAndSet(Use.CLOSED) == Use.TASK) {
            CompletionStage<Void> unused = lease.shutdown();
        } else {
            lease.close();
        }
    }

    /**
     * One task on the current thread, which is interrupted when its grant is lost or its provider
     * closes.
     *
     * <p>The interrupt and the end of the task exclude each other, so that the interrupt hits
     * either the task or nothing.
     */
    static final class HeldRun {
        private final String name;
        private final LeaseGrant grant;
        private final Thread thread = Thread.currentThread();
        private final Object lock = new Object();
        private boolean running = true;
        private boolean interrupted;

        HeldRun(String name, LeaseGrant grant) {
            this.name = name;
            this.grant = grant;
        }

        /** The same work, with nothing as its result. */
        static HeldTask<@Nullable Object> task(HeldAction action) {
            return grant -> {
                action.run(grant);
                return null;
            };
        }

        <T extends @Nullable Object> T run(HeldTask<T> task) throws Exception {
            grant.lost().thenRun(this::interrupt);
            T result;
            try {
                result = task.run(grant);
            } catch (Throwable thrown) {
                throwIfLost(thrown);
                throw thrown;
            }
            throwIfLost(null);
            return result;
        }

        /** Interrupts the task, if it runs. */
        void interrupt() {
            synchronized (lock) {
                if (running) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        }

        private void throwIfLost(@Nullable Throwable thrown) {
            synchronized (lock) {
                running = false;
            }
            if (interrupted) {
                Thread.interrupted();
            }
            if (!grant.isAlive()) {
                throw LeaseLostException.of(name, grant, thrown);
            }
        }
    }
}
