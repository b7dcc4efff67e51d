package io.flockgate.gateway.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes the audit lines: who has changed something as an operator, and whom the rights of a token have refused. Thread safe.
 *
 * <p>Each change is a line. What has changed nothing is at most one line a second for each token, with a {@code count}.
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final String MESSAGE = "audit";
    private static final int MAX_NAMES = 2_000;

    private final LongSupplier clock;
    private final RateLimitedLog.Timer timer;
    private final Map<String, RateLimitedLog> unchanged = new ConcurrentHashMap<>();

    /**
     * The one who acts.
     *
     * @param token the name of the token; empty where no token is configured
     * @param peer the address and port
     */
    public record Actor(String token, Object peer) {
        private LoggingEventBuilder in(LoggingEventBuilder line) {
            return (token.isEmpty() ? line : line.addKeyValue("token", token)).addKeyValue("peer", peer);
        }
    }

    /** @param clock monotonic nanoseconds */
    public Audit(LongSupplier clock, RateLimitedLog.Timer timer) {
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * An operator has changed something.
     *
     * @param details adds what was changed, and the reason
     */
    public void changed(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        write(actor, action, details, "done");
    }

    /** An operator may have changed something: the storage has failed. */
    public void unknown(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        write(actor, action, details, "unknown");
    }

    private static void write(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details, String result) {
        details.apply(actor.in(LOG.atInfo()).addKeyValue("action", action))
                .addKeyValue("result", result)
                .log(MESSAGE);
    }

    /** An order or a request has changed nothing. */
    public void unchanged(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details, String result) {
        if (unchanged.size() > MAX_NAMES) {
            unchanged.clear();
        }
        unchanged
                .computeIfAbsent(actor.token(), name -> RateLimitedLog.atInfo(LOG, MESSAGE, clock, timer))
                .add(line -> details.apply(actor.in(line).addKeyValue("action", action))
                        .addKeyValue("result", result));
    }

    /** The number of tokens whose last lines are remembered. */
    int names() {
        return unchanged.size();
    }

    /** The token has no right to do this. */
    public void refused(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        unchanged(actor, action, details, "forbidden");
    }
}
