package io.flockgate.gateway.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a warning that a cap refuses clients, at most once a minute, with the number of refusals
 * since the previous line. Thread safe.
 */
public final class CapLog {
    private static final long NANOS_BETWEEN = TimeUnit.MINUTES.toNanos(1);
    private static final long NEVER = Long.MIN_VALUE;

    private final Logger log;
    private final String message;
    private final String flag;
    private final long max;
    private final AtomicLong last = new AtomicLong(NEVER);
    private final LongAdder refused = new LongAdder();

    /**
     * @param flag the flag that sets the cap
     */
    public CapLog(Logger log, String message, String flag, long max) {
        this.log = log;
        this.message = message;
        this.flag = flag;
        this.max = max;
    }

    /**
     * Counts a refusal.
     *
     * @param now monotonic nanoseconds
     * @return whether a line is due; the caller writes it with {@link #warn}
     */
    public boolean refused(long now) {
        refused.increment();
        long before = last.get();
        return (before == NEVER || now - before >= NANOS_BETWEEN) && last.compareAndSet(before, now);
    }

    /**
     * Writes a line that is due.
     *
     * @param state adds what is counted, and the client that was refused
     */
    public void warn(UnaryOperator<LoggingEventBuilder> state) {
        state.apply(log.atWarn().addKeyValue("flag", flag).addKeyValue("max", max))
                .addKeyValue("refused", refused.sumThenReset())
                .log(message);
    }
}
