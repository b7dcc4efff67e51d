package io.flockgate.testsupport;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Asks again and again for something that announces no change. The bound is far above what the change should take. */
public final class Polling {
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int INTERVAL_MILLIS = 3;

    private Polling() {}

    /** A question that may fail. */
    public interface Query<T, E extends Exception> {
        T ask() throws E;
    }

    /** Waits until a condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pause();
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
        long start = System.nanoTime();
        T answer = query.ask();
        while (!wanted.test(answer)) {
            if (System.nanoTime() - start > patience.toNanos()) {
                throw new AssertionError("not within " + patience + "; the last answer: " + answer);
            }
            pause();
            answer = query.ask();
        }
        return answer;
    }

    private static void pause() {
        try {
            Thread.sleep(INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while polling", e);
        }
    }
}
