package io.flockgate.gateway.limits;

import io.flockgate.gateway.log.Throttle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A maximum of something that clients use, which its user counts. Counts what was refused because
 * of it, and logs a warning at most once a minute, with the number of refusals since the previous
 * one. Thread safe.
 */
public final class Cap {
    private static final Logger LOG = LoggerFactory.getLogger(Cap.class);
    private static final Executor IN_A_MINUTE = CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES);

    private final String noun;
    private final String flag;
    private final long max;
    private final LongAdder refusals = new LongAdder();
    private final Throttle warnings;

    /**
     * @param noun what is counted, in the plural
     * @param flag sets the maximum; empty for a constant
     * @param max 0 for none
     */
    public Cap(String noun, String flag, long max) {
        this(noun, flag, max, IN_A_MINUTE);
    }

    Cap(String noun, String flag, long max, Executor inAMinute) {
        this.noun = noun;
        this.flag = flag;
        this.max = max;
        this.warnings = new Throttle(1, inAMinute);
    }

    /** Whether there is room for one more beside this number. */
    public boolean admits(long used) {
        return max == 0 || used < max;
    }

    /** The maximum; 0 for none. */
    public long max() {
        return max;
    }

    /** How many were refused since the start. */
    public long refusals() {
        return refusals.sum();
    }

    /**
     * Counts and logs a refusal.
     *
     * @param attribute the name of what the line shows: {@code peer} or {@code key}
     */
    public void refused(String attribute, Object value) {
        refusals.increment();
        LongConsumer line =
                count -> (flag.isEmpty() ? LOG.atWarn() : LOG.atWarn().addKeyValue("flag", flag))
                        .addKeyValue("max", max)
                        .addKeyValue("refused", count)
                        .addKeyValue(attribute, value)
                        .log("a cap is reached, refusing " + noun);
        if (warnings.admit("", line)) {
            line.accept(1);
        }
    }
}
