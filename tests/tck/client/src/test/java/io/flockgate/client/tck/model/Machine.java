package io.flockgate.client.tck.model;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.Subscription;
import io.flockgate.testsupport.RecordedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The clocks, timers and pauses of one client. Its clocks drift, have an offset, and stop or jump.
 */
final class Machine implements Timers {
    private final World world;
    private final double rate;
    private final long tickerOffset;
    private long wallOffset;
    private long stoodStill;
    private long suspendedAt = -1;
    private boolean paused;
    private int timers;
    private Runnable onResume = () -> {};
    private List<Runnable> held = new ArrayList<>();

    Machine(World world) {
        this.world = world;
        this.rate = world.between(0.99, 1.01);
        this.tickerOffset = world.random().nextLong() / 4;
        this.wallOffset = world.upTo(1_000_000 * World.SECOND);
    }

    LeaseEnvironment environment() {
        // Without a log, because the model loses thousands of leases a second.
        return new LeaseEnvironment(this, () -> Instant.ofEpochMilli(wallMillis()), Runnable::run, world.random())
                .loggers(topic -> new RecordedLog(topic, new ArrayList<>()));
    }

    /** Sets the task to run first when the machine resumes after a pause. */
    void onResume(Runnable task) {
        onResume = task;
    }

    @Override
    public long nanos() {
        long end = suspendedAt >= 0 ? suspendedAt : world.now();
        return tickerOffset + (long) ((end - stoodStill) * rate);
    }

    private long wallMillis() {
        return (wallOffset + (long) (world.now() * rate)) / 1_000_000;
    }

    @Override
    public Subscription after(Duration delay, Runnable task) {
        Timer timer = new Timer(nanos() + delay.toNanos(), task);
        timers++;
        world.after((long) (delay.toNanos() / rate), timer);
        return timer;
    }

    private final class Timer implements Runnable, Subscription {
        private final long due;
        private final Runnable task;
        private boolean done;

        Timer(long due, Runnable task) {
            this.due = due;
            this.task = task;
        }

        @Override
        public void run() {
            if (done) {
                return;
            }
            if (paused) {
                held.add(this);
            } else if (nanos() < due) {
                world.after((long) ((due - nanos()) / rate) + 1, this);
            } else {
                close();
                task.run();
            }
        }

        @Override
        public void close() {
            timers -= done ? 0 : 1;
            done = true;
        }
    }

    /** Runs the task now, or at the end of the pause. */
    void run(Runnable task) {
        if (paused) {
            held.add(() -> run(task));
        } else {
            task.run();
        }
    }

    /**
     * Stops everything on this machine for this time. In a suspend, the monotonic clock stops as
     * well.
     */
    void pause(long nanos, boolean suspend) {
        if (!paused) {
            paused = true;
            suspendedAt = suspend ? world.now() : -1;
            world.after(nanos, this::resume);
        }
    }

    private void resume() {
        paused = false;
        if (suspendedAt >= 0) {
            stoodStill += world.now() - suspendedAt;
            suspendedAt = -1;
        }
        onResume.run();
        List<Runnable> late = held;
        held = new ArrayList<>();
        late.forEach(Runnable::run);
    }

    boolean isPaused() {
        return paused;
    }

    void stepWall(long nanos) {
        wallOffset += nanos;
    }

    int timers() {
        return timers;
    }
}
