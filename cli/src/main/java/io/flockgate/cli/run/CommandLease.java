package io.flockgate.cli.run;

import io.flockgate.cli.run.KeyQueue.QueueState;
import io.flockgate.cli.run.Notices.ClientLog;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.ConnectionOptions.IoThreads;
import io.flockgate.cli.shared.Hints;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The lease of a command, from its claim to its release. Blocks its thread. */
final class CommandLease implements AutoCloseable {
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(5);
    private static final Duration NEWS = Duration.ofSeconds(1);

    private final IoThreads threads = new IoThreads();
    private final LeaseProvider provider;
    private final Lease lease;
    private final KeyQueue queue;
    private final ClaimOptions options;
    private final SignalInbox signals;
    private final Notices notices;

    /**
     * @throws CommandException for options that the servers do not support
     */
    CommandLease(ConnectionOptions connection, ClaimOptions options, SignalInbox signals, Notices notices) {
        this.queue = new KeyQueue(connection, options.key(), options.name());
        this.options = options;
        this.signals = signals;
        this.notices = notices;
        try {
            ConnectOptions connect = connection
                    .client(threads)
                    .clientName(options.name())
                    .environment(ClientLog.environment(notices).callbackExecutor(threads));
            this.provider = Flockgate.connect(connect, connection.servers().addresses());
            this.lease = provider.lease(options.leaseOptions());
        } catch (LeaseConfigException e) {
            throw CommandException.usage(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Claims with the patience of the options, and lets the command use the grant.
     *
     * @param notAcquired the exit status if others hold the key
     * @param command uses the grant, and returns the exit status
     * @throws CommandException if the result is unknown
     */
    int use(int notAcquired, ToIntFunction<LeaseGrant> command) {
        Optional<LeaseGrant> grant = acquire();
        if (grant.isPresent()) {
            return command.applyAsInt(grant.get());
        } else if (signals.firstEnding().isDone()) {
            return Statuses.SIGNALLED + signals.firstEnding().join().number();
        }
        notices.notAcquired();
        return notAcquired;
    }

    private Optional<LeaseGrant> acquire() {
        try {
            return options.patience().claim(this::acquire);
        } catch (ExecutionException e) {
            throw CommandException.withStatus(
                    Statuses.UNAVAILABLE, Hints.message(e) + queue.rightLimit(e, options.limit()));
        }
    }

    /** Empty if others hold the key, or a signal has ended the claim. */
    private Optional<LeaseGrant> acquire(Duration wait) throws ExecutionException {
        if (signals.firstEnding().isDone()) {
            return Optional.empty();
        }
        CompletableFuture<Optional<LeaseGrant>> answer = lease.acquire(wait).toCompletableFuture();
        CompletableFuture<?> end = CompletableFuture.anyOf(answer, signals.firstEnding());
        try (QueueWatch watch = new QueueWatch(notices, queue, !wait.isZero())) {
            while (!isOver(end, NEWS)) {
                watch.show();
            }
            if (answer.isDone()) {
                return answer.get();
            }
            release();
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }

    /** Waits for a future to complete, for at most this time; false if it has not. */
    static boolean isOver(CompletableFuture<?> end, Duration most) throws InterruptedException {
        try {
            Object unused = end.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            // Its user learns that from the future.
        }
        return true;
    }

    /** Releases the slot. A failure is reported: the slot is free when the lease ends. */
    void release() {
        try {
            Void unused = lease.release().toCompletableFuture().get(RELEASE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            notices.warning("not released, free when its lease ends: " + Hints.message(e));
        } catch (TimeoutException e) {
            notices.warning("not released, free when its lease ends: no answer in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        provider.close();
        threads.close();
        notices.endWaitingLine();
    }

    /** Shows the progress of a wait. It asks on its own thread, because a server may be slow. */
    private static final class QueueWatch implements AutoCloseable {
        private static final Duration INTERVAL = Duration.ofSeconds(2);

        /** The claim should be in the queue when the server is first asked. */
        private static final Duration BEGINNING = Duration.ofMillis(500);

        private final Notices notices;
        private final KeyQueue queue;
        private final long start = System.nanoTime();
        private final @Nullable Thread thread;
        private volatile Optional<QueueState> state = Optional.empty();

        /** Starts asking, if the claim waits and the user wants to know. */
        QueueWatch(Notices notices, KeyQueue queue, boolean waits) {
            this.notices = notices;
            this.queue = queue;
            this.thread = waits && notices.wantsWaits()
                    ? Thread.ofPlatform().daemon().name("flockgate-queue").start(this::ask)
                    : null;
        }

        private Duration since() {
            return Duration.ofNanos(System.nanoTime() - start);
        }

        private void ask() {
            try {
                Thread.sleep(BEGINNING);
                while (!Thread.currentThread().isInterrupted()) {
                    state = queue.state(since());
                    Thread.sleep(INTERVAL);
                }
            } catch (InterruptedException e) {
                // The wait has ended.
            }
        }

        /** Shows what is known now. */
        void show() {
            if (thread != null) {
                notices.waiting(state, since());
            }
        }

        @Override
        public void close() {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }
}
