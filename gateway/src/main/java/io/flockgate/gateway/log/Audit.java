package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.text.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes the audit lines: the changes that operators have made, and the requests that the rights of
 * a token have refused. Thread safe.
 *
 * <p>Each change has its own line, and so has each failed order, up to {@value #MAX_FAILED_ORDERS}
 * a second for each token, or for each address without a token. Further failed orders, and
 * refusals, share at most one line a second, with a {@code count}.
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final String MESSAGE = "audit";
    private static final int MAX_NAMES = 2_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Maximum number of failed orders of a client in a second that have their own lines. */
    static final int MAX_FAILED_ORDERS = 20;

    private final LongSupplier clock;
    private final RateLimitedLog.Timer timer;
    private final Map<String, Unchanged> unchanged = new ConcurrentHashMap<>();

    /**
     * The client that acts.
     *
     * @param token the name of the token; empty where no token is configured
     * @param peer the address and port
     * @param client the client whose actions without an effect are counted together: the token, or
     *     the address if there is none
     */
    public record Actor(String token, Object peer, String client) {
        /** An actor with a token. */
        public Actor(String token, Object peer) {
            this(token, peer, token);
        }

        private LoggingEventBuilder in(LoggingEventBuilder line) {
            return (token.isEmpty() ? line : line.addKeyValue("token", token)).addKeyValue("peer", peer);
        }
    }

    /**
     * @param clock monotonic nanoseconds
     */
    public Audit(LongSupplier clock, RateLimitedLog.Timer timer) {
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * Reserves a place in the log for the line of an order, so that no order is carried out whose
     * line is then lost.
     *
     * @return null if there is no place, so that the order must be refused
     */
    public @Nullable Order begin(Actor actor, String action) {
        return Logging.reserve() ? new Order(actor, action) : null;
    }

    /**
     * An order in progress. Exactly one of its methods must be called, once. Their {@code details}
     * add what was changed, and the reason.
     */
    public final class Order {
        private final Actor actor;
        private final String action;

        private Order(Actor actor, String action) {
            this.actor = actor;
            this.action = action;
        }

        /** The order has changed something. */
        public void changed(UnaryOperator<LoggingEventBuilder> details) {
            write(details, "done");
        }

        /** The order may have changed something, because the storage has failed. */
        public void unknown(UnaryOperator<LoggingEventBuilder> details) {
            write(details, "unknown");
        }

        /** The order has changed nothing. */
        public void unchanged(UnaryOperator<LoggingEventBuilder> details, String result) {
            Unchanged last = last(actor);
            if (last.mayWriteEach(clock.getAsLong())) {
                write(details, result);
            } else {
                Logging.giveBack();
                last.add(actor, action, details, result);
            }
        }

        private void write(UnaryOperator<LoggingEventBuilder> details, String result) {
            details.apply(actor.in(LOG.atInfo().addMarker(Logging.RESERVED)).addKeyValue("action", action))
                    .addKeyValue("result", result)
                    .log(MESSAGE);
        }
    }

    /**
     * Adds a name as text. If its bytes are not UTF-8, the text does not contain them all, so they
     * are added in hex.
     */
    public static LoggingEventBuilder exact(LoggingEventBuilder line, String attribute, byte[] name) {
        LoggingEventBuilder shown = line.addKeyValue(attribute, new String(name, StandardCharsets.UTF_8));
        return Utf8.decode(name) == null
                ? shown.addKeyValue(attribute + "_hex", HexFormat.of().formatHex(name))
                : shown;
    }

    /** The lines of one client about orders and requests without an effect. */
    private static final class Unchanged {
        private final RateLimitedLog merged;

        @GuardedBy("this")
        private long second = Long.MIN_VALUE;

        @GuardedBy("this")
        private int written;

        private Unchanged(RateLimitedLog merged) {
            this.merged = merged;
        }

        private synchronized boolean mayWriteEach(long nanos) {
            long now = Math.floorDiv(nanos, NANOS_PER_SECOND);
            if (now != second) {
                second = now;
                written = 0;
            }
            written++;
            return written <= MAX_FAILED_ORDERS;
        }

        private void add(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details, String result) {
            merged.add(line ->
                    details.apply(actor.in(line).addKeyValue("action", action)).addKeyValue("result", result));
        }
    }

    private Unchanged last(Actor actor) {
        if (unchanged.size() > MAX_NAMES) {
            unchanged.clear();
        }
        return unchanged.computeIfAbsent(
                actor.client(), name -> new Unchanged(RateLimitedLog.atInfo(LOG, MESSAGE, clock, timer)));
    }

    /** The number of clients whose last lines are remembered. */
    int names() {
        return unchanged.size();
    }

    /** The token has no right to do this. */
    public void refused(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        last(actor).add(actor, action, details, "forbidden");
    }
}
