package io.flockgate.testsupport;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Polls repeatedly for something that announces no change. The limit is far above the time that the
 * change should take.
 */
public final class Polling {
    /** The patience on a machine whose load does not exceed its cores. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final double MOST_BUSY = 3;

    private static final int MIN_PAUSE_MILLIS = 3;

    private static final int MAX_PAUSE_MILLIS = 25;

    /** A later pause is this part of the time waited so far, which lengthens no wait by more. */
    private static final int PART = 20;

    private Polling() {}

    /**
     * The patience now. On a machine with more load than cores, each thread gets a smaller share,
     * and the time is longer in proportion.
     */
    public static Duration patience() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        double busy = system.getSystemLoadAverage() / system.getAvailableProcessors();
        return Duration.ofMillis((long) (PATIENCE.toMillis() * Math.clamp(busy, 1, MOST_BUSY)));
    }

    /** A query that may fail. */
    public interface Query<T, E extends Exception> {
        T ask() throws E;
    }

    /** Waits until a condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            Duration patience = patience();
            long waited = System.nanoTime() - start;
            if (waited > patience.toNanos()) {
                throw new AssertionError("not within " + patience + ": " + what);
            }
            pause(waited);
        }
    }

    /** The first answer that is wanted. */
    public static <T, E extends Exception> T until(Query<T, E> query, Predicate<? super T> wanted) throws E {
        return until(Polling::patience, query, wanted);
    }

    /**
     * The first answer that is wanted.
     *
     * @throws AssertionError if there is none in time, with the last answer
     */
    public static <T, E extends Exception> T until(Duration patience, Query<T, E> query, Predicate<? super T> wanted)
            throws E {
        return until(() -> patience, query, wanted);
    }

    /**
     * The patience is computed repeatedly, because the load average rises only some time after the
     * load.
     */
    private static <T, E extends Exception> T until(
            Supplier<Duration> patienceNow, Query<T, E> query, Predicate<? super T> wanted) throws E {
        long start = System.nanoTime();
        T answer = query.ask();
        while (!wanted.test(answer)) {
            Duration patience = patienceNow.get();
            long waited = System.nanoTime() - start;
            if (waited > patience.toNanos()) {
                throw new AssertionError("not within " + patience + "; the last answer: " + answer);
            }
            pause(waited);
            answer = query.ask();
        }
        return answer;
    }

    /** The longer a wait takes, the longer its pauses, because queries cost processor time. */
    private static void pause(long waitedNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(waitedNanos) / PART;
        try {
            Thread.sleep(Math.clamp(millis, MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while polling", e);
        }
    }
}
