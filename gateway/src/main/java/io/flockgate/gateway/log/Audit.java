package io.flockgate.gateway.log;

import io.flockgate.gateway.log.LogWriter.Place;
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
 * <p>Each change has its own line, and so has each failed order, up to {@value
 * FailedOrders#MAX_OF_CLIENT} a second for each client, and {@value FailedOrders#MAX_OF_ALL} for
 * all together. Further failed orders of a client share at most one line a second, with a {@code
 * count}. So do those of all clients, and the refusals of each.
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final String MESSAGE = "audit";
    private static final int MAX_NAMES = 2_000;

    private final LongSupplier clock;
    private final RateLimitedLog.Timer timer;
    private final FailedOrders failedOrders = new FailedOrders();
    private final Map<String, RateLimitedLog> mergedOfClients = new ConcurrentHashMap<>();
    private final RateLimitedLog mergedOfAll;

    /**
     * The client that acts.
     *
     * @param token the name of the token; empty where no token is configured
     * @param peer the address and port
     * @param client has a bound of its own on lines: the token, or without one the site of the
     *     address
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
        this.mergedOfAll = merged();
    }

    private RateLimitedLog merged() {
        return RateLimitedLog.atInfo(LOG, MESSAGE, clock, timer);
    }

    /**
     * Reserves a place in the log for the line of an order, so that no order is carried out whose
     * line is then lost.
     *
     * @return null if there is no place for this client, so that the order must be refused
     */
    public @Nullable Order begin(Actor actor, String action) {
        Place place = Logging.reserve(actor.client());
        return place == null ? null : new Order(place, actor, action);
    }

    /**
     * An order in progress. Exactly one of its methods must be called, once. Their {@code details}
     * add what was changed, and the reason.
     */
    public final class Order {
        private final Place place;
        private final Actor actor;
        private final String action;

        private Order(Place place, Actor actor, String action) {
            this.place = place;
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
            switch (failedOrders.add(actor.client(), clock.getAsLong())) {
                case OWN -> write(details, result);
                case MERGED_WITH_CLIENT -> merge(mergedOf(actor), details, result);
                case MERGED_WITH_ALL -> merge(mergedOfAll, details, result);
            }
        }

        private void merge(RateLimitedLog merged, UnaryOperator<LoggingEventBuilder> details, String result) {
            place.giveBack();
            add(merged, actor, action, details, result);
        }

        private void write(UnaryOperator<LoggingEventBuilder> details, String result) {
            details.apply(actor.in(LOG.atInfo().addArgument(place)).addKeyValue("action", action))
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

    private RateLimitedLog mergedOf(Actor actor) {
        if (mergedOfClients.size() > MAX_NAMES) {
            mergedOfClients.clear();
        }
        return mergedOfClients.computeIfAbsent(actor.client(), name -> merged());
    }

    /** The number of clients whose merged lines are remembered. */
    int names() {
        return mergedOfClients.size();
    }

    /** The token has no right to do this. */
    public void refused(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        add(mergedOf(actor), actor, action, details, "forbidden");
    }

    private static void add(
            RateLimitedLog merged,
            Actor actor,
            String action,
            UnaryOperator<LoggingEventBuilder> details,
            String result) {
        merged.add(line ->
                details.apply(actor.in(line).addKeyValue("action", action)).addKeyValue("result", result));
    }
}
