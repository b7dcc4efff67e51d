package io.flockgate.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseExpirerTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicLong nextEnd = new AtomicLong(System.nanoTime() + HOUR);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final LeaseExpirer expirer = new LeaseExpirer(
            System::nanoTime, HOUR, this::work, most -> Math.min(most, nextEnd.get() - System.nanoTime()));

    private void work() {
        runs.incrementAndGet();
        if (System.nanoTime() - nextEnd.get() >= 0) {
            nextEnd.addAndGet(HOUR);
            ended.countDown();
        }
    }

    @AfterEach
    void stop() {
        expirer.stop();
    }

    @Test
    void aLeaseThatEndsBeforeTheAnnouncedTimeWakesTheThread() throws InterruptedException {
        expirer.start(Thread.ofPlatform().daemon().factory());
        nextEnd.set(System.nanoTime() + 50 * MILLI);
        expirer.atLatest(nextEnd.get());

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    /** The thread once woke itself with the announcement of its own sleep, and never slept. */
    @Test
    void theThreadSleepsBetweenEnds() throws InterruptedException {
        nextEnd.set(System.nanoTime() + 300 * MILLI);
        expirer.start(Thread.ofPlatform().daemon().factory());

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runs.get()).isLessThan(20);
    }
}
