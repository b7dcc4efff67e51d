package io.flockgate.cli.run;

import io.flockgate.cli.run.Processes.Reaper;
import io.flockgate.cli.run.RunOptions.OnLoss;
import io.flockgate.cli.run.SignalInbox.Caught;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LostEvent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Watches over a command while it holds the key.
 *
 * <ol>
 *   <li>A signal is passed to the command once all processes must have received it to which it was
 *       sent: the {@link Guard} then knows whether the command is among them.
 *   <li>While the grant is alive, the deadline is noted regularly: the moment at which the grant
 *       ends unless it is renewed. The client counts it from before a request is sent, and earlier
 *       than the server by its margin and the grace.
 *   <li>If the grant ends, TERM goes to the command and its descendants, including those that have
 *       lost their parent. What is left after the grace is killed. The grace is counted from the
 *       noted deadline if that is earlier, so that all have ended while the server still reserves
 *       the slot for us. Processes that cannot be ended are reported, and not waited for.
 *   <li>If the server itself has ended the grant, it may already have granted the slot to another
 *       client. The grace is then counted from the notification.
 * </ol>
 */
final class Supervisor {
    private static final Duration LEFTOVERS_INTERVAL = Duration.ofMillis(20);

    /**
     * The time for a signal to reach all processes of a group. It may also be sent to this process
     * alone just before, as timeout does. On a busy machine Java handles the two far apart.
     */
    private static final Duration SPREAD = Duration.ofMillis(250);

    /** The rounds of KILL: between the check and the signal, a process may start another. */
    private static final int ROUNDS = 50;

    /**
     * A command that is running.
     *
     * @param status completes with its exit status
     */
    record StartedCommand(ProcessHandle process, CompletableFuture<Integer> status) {
        static StartedCommand of(Process started) {
            return new StartedCommand(started.toHandle(), started.onExit().thenApply(Process::exitValue));
        }
    }

    private final StartedCommand command;
    private final Processes processes;
    private final Reaper reaper;
    private final Guard guard;
    private final LeaseGrant grant;
    private final RunOptions options;
    private final Notices notices;
    private final Set<String> arriving = ConcurrentHashMap.newKeySet();
    private Deadline deadline;

    Supervisor(StartedCommand command, Guard guard, LeaseGrant grant, RunOptions options, Notices notices) {
        this.command = command;
        this.processes = new Processes(command.process(), grant.token());
        this.reaper = new Reaper(Set.of(command.process().pid(), guard.pid()));
        this.guard = guard;
        this.grant = grant;
        this.options = options;
        this.notices = notices;
        this.deadline = Deadline.in(Duration.ZERO);
    }

    /** Passes a signal to the command, once for all that arrive together. Returns at once. */
    void pass(Caught signal) {
        if (arriving.add(signal.name())) {
            CompletableFuture.delayedExecutor(SPREAD.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> passOn(signal));
        }
    }

    private void passOn(Caught signal) {
        arriving.remove(signal.name());
        if (guard.isAlive()) {
            guard.pass(signal);
        } else if (signal.ends()) {
            boolean unused = command.process().destroy();
        }
    }

    /** Waits for the command's end and returns the exit status. */
    int supervise() throws InterruptedException {
        CompletableFuture<LostEvent> lost = grant.lost().toCompletableFuture();
        CompletableFuture<?> end = CompletableFuture.anyOf(command.status(), lost);
        note();
        while (!CommandLease.isOver(end, interval())) {
            reaper.reap();
            note();
        }
        if (lost.isDone()) {
            return afterLoss(lost.join().message());
        }
        // This process, if it was stopped, may see the end before the loss.
        return grant.isAlive() || options.onLoss() == OnLoss.IGNORE
                ? command.status().join()
                : afterLoss("its time was over before the command had ended");
    }

    private void note() {
        Duration left = grant.remaining();
        if (!left.isZero()) {
            Deadline now = Deadline.in(left);
            // Only a renewal moves the deadline; otherwise a suspended machine would move it by the
            // wall clock.
            if (now.isWellAfter(deadline)) {
                deadline = now;
            }
        }
    }

    private Duration interval() {
        Duration twentieth = options.claim().lease().dividedBy(20);
        return twentieth.compareTo(Duration.ofSeconds(1)) < 0 ? twentieth : Duration.ofSeconds(1);
    }

    private int afterLoss(String message) throws InterruptedException {
        Set<ProcessHandle> terminated = options.onLoss() == OnLoss.IGNORE ? Set.of() : processes.terminate();
        Thread reporting = report(message);
        if (options.onLoss() == OnLoss.KILL) {
            guard.markLost();
            List<String> left = killLeftovers(terminated);
            if (!left.isEmpty()) {
                reporting.join();
                notices.warning("cannot end " + String.join(", ", left) + ": running on without the key");
                return Statuses.NOT_ENDED;
            }
        }
        int own = command.status().join();
        reporting.join();
        return options.onLoss() == OnLoss.IGNORE ? own : options.lostStatus();
    }

    /**
     * Reports the loss on its own thread: standard error may have no reader, and the command must
     * end all the same.
     */
    private Thread report(String message) {
        return Thread.ofPlatform().daemon().start(() -> notices.lost(message));
    }

    /** Returns those that cannot be ended. */
    private List<String> killLeftovers(Set<ProcessHandle> terminated) throws InterruptedException {
        Duration grace = options.claim().grace();
        Deadline fromNow = Deadline.in(grace);
        Deadline end = deadline.left().isNegative() ? deadline.plus(grace) : fromNow;
        while (end.left().isPositive() && processes.anyRuns(terminated)) {
            pause(end.left());
        }
        List<String> left = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            processes.kill(terminated);
            left = processes.running(terminated);
            if (left.isEmpty()) {
                return left;
            }
            pause(LEFTOVERS_INTERVAL);
        }
        return left;
    }

    private static void pause(Duration most) throws InterruptedException {
        Thread.sleep(most.compareTo(LEFTOVERS_INTERVAL) < 0 ? most : LEFTOVERS_INTERVAL);
    }

    /**
     * A moment by two clocks, the earlier of which counts: the monotonic clock stops while the
     * machine is suspended, and the wall clock may be set.
     *
     * @param nanos the moment in {@link System#nanoTime()}
     * @param millis the moment in {@link System#currentTimeMillis()}
     */
    record Deadline(long nanos, long millis) {
        static Deadline in(Duration left) {
            return new Deadline(System.nanoTime() + left.toNanos(), System.currentTimeMillis() + left.toMillis());
        }

        /** The time left; negative if the moment is past. */
        Duration left() {
            Duration monotonic = Duration.ofNanos(nanos - System.nanoTime());
            Duration wall = Duration.ofMillis(millis - System.currentTimeMillis());
            return monotonic.compareTo(wall) < 0 ? monotonic : wall;
        }

        /**
         * True if this is later by the monotonic clock, by more than the inaccuracy of a reading.
         */
        boolean isWellAfter(Deadline other) {
            return nanos - other.nanos > Duration.ofMillis(50).toNanos();
        }

        Deadline plus(Duration more) {
            return new Deadline(nanos + more.toNanos(), millis + more.toMillis());
        }
    }
}
