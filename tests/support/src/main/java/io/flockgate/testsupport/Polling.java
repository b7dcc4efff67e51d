package io.flockgate.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Polls repeatedly for something that announces no change. The limit is far above the time that the
 * change should take.
 *
 * <p>The limit counts what the machine gives: with four runnable threads for each core, a second
 * counts as a quarter of a second.
 */
public final class Polling {
    /** The patience on a machine whose load does not exceed its cores. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Path LOAD = Path.of("/proc/loadavg");
    private static final double MIN_SHARE = 0.1;

    private static final int MIN_PAUSE_MILLIS = 3;

    private static final int MAX_PAUSE_MILLIS = 25;

    /** A later pause is this part of the time waited so far, which lengthens no wait by more. */
    private static final int PART = 20;

    private Polling() {}

    /** The patience by the clock as the machine is now, for a limit that is set in advance. */
    public static Duration patience() {
        return patience(PATIENCE);
    }

    /** Another patience by the clock as the machine is now. */
    public static Duration patience(Duration patience) {
        return Duration.ofNanos((long) (patience.toNanos() / share(load())));
    }

    private static String load() {
        try {
            return Files.readString(LOAD);
        } catch (IOException elsewhere) {
            return "";
        }
    }

    /**
     * The part of a core that a thread gets, from the load average of the last minute or from the
     * number of threads that are runnable now, because the average rises only some time after the
     * load.
     *
     * @param load as in {@code /proc/loadavg}; empty if it is unknown
     */
    static double share(String load) {
        if (load.isEmpty()) {
            return 1;
        }
        String[] words = load.split("[ /]", -1);
        double busy = Math.max(Double.parseDouble(words[0]), Double.parseDouble(words[3]));
        return Math.clamp(Runtime.getRuntime().availableProcessors() / Math.max(1, busy), MIN_SHARE, 1);
    }

    /** The time of one wait. */
    private static final class Wait {
        private final Duration patience;
        private final long start = System.nanoTime();
        private long last = start;
        private double counted;

        Wait(Duration patience) {
            this.patience = patience;
        }

        /** Pauses; throws an AssertionError instead if the patience has been used up. */
        void goOn(Supplier<String> what) {
            long now = System.nanoTime();
            counted += (now - last) * share(load());
            last = now;
            if (counted > patience.toNanos()) {
                throw new AssertionError("not within " + patience + ", or " + Duration.ofNanos(now - start)
                        + " by the clock of a busy machine: " + what.get());
            }
            pause(now - start);
        }
    }

    /** A query that may fail. */
    public interface Query<T, E extends Exception> {
        T ask() throws E;
    }

    /** Waits until a condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        Wait wait = new Wait(PATIENCE);
        while (!condition.getAsBoolean()) {
            wait.goOn(() -> what);
        }
    }

    /** The first answer that is wanted. */
    public static <T, E extends Exception> T until(Query<T, E> query, Predicate<? super T> wanted) throws E {
        return until(PATIENCE, query, wanted);
    }

    /**
     * The first answer that is wanted.
     *
     * @throws AssertionError if there is none in time, with the last answer
     */
    public static <T, E extends Exception> T until(Duration patience, Query<T, E> query, Predicate<? super T> wanted)
            throws E {
        Wait wait = new Wait(patience);
        while (true) {
            T answer = query.ask();
            if (wanted.test(answer)) {
                return answer;
            }
            wait.goOn(() -> "the last answer: " + answer);
        }
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
