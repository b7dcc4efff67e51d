package io.flockgate.client.tcp;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Timers that only the test runs, on clocks that stand still. */
final class StoppedTimers implements Timers {
    final List<Runnable> tasks = new ArrayList<>();

    LeaseEnvironment environment() {
        return new LeaseEnvironment(this, InstantSource.fixed(Instant.EPOCH), Runnable::run, new Random(1));
    }

    @Override
    public long nanos() {
        return 0;
    }

    @Override
    public Subscription after(Duration delay, Runnable task) {
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    void run() {
        List.copyOf(tasks).forEach(Runnable::run);
    }
}
