package io.flockgate.gateway.log;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.LogWriter.Place;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.text.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes the audit lines: the changes that operators have made, and the requests that the rights of
 * a token have refused. Thread safe.
 *
 * <ol>
 *   <li>An order takes a place in the log before it is carried out, or is refused. Lines that
 *       several orders share have none: the log may drop them while it is not being read.
 *   <li>Each change, and each order whose result is unknown, has its own line.
 *   <li>Failed orders have their own lines as well, up to {@value FailedOrders#MAX_OF_CLIENT} a
 *       second for each client and {@value FailedOrders#MAX_OF_ALL} for all together. Beyond its
 *       bound, those of a client share at most one line a second, with a {@code count}. Those
 *       beyond the common bound share another.
 *   <li>The refusals of a client share at most one line a second.
 * </ol>
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final String MESSAGE = "audit";
    private static final String FAILED = "failed";

    private final Gate gate;
    private final LongSupplier clock;
    private final FailedOrders failedOrders = new FailedOrders();
    private final MergedLines failuresOfClients;
    private final RateLimitedLog failuresOfAll;
    private final MergedLines refusals;

    /**
     * The client that acts.
     *
     * @param token the name of the token; empty where no token is configured
     * @param peer the address and port
     * @param client the client as caps count it: the token, or else the address group
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
     * @param gate counts the orders whose lines are not yet written
     * @param clock monotonic nanoseconds
     */
    public Audit(Gate gate, LongSupplier clock, RateLimitedLog.Timer timer) {
        this.gate = gate;
        this.clock = clock;
        Supplier<RateLimitedLog> lines = () -> RateLimitedLog.atInfo(LOG, MESSAGE, clock, timer);
        this.failuresOfClients = new MergedLines(lines);
        this.failuresOfAll = lines.get();
        this.refusals = new MergedLines(lines);
    }

    /**
     * Reserves a place in the log for the line of an order, so that no order is carried out whose
     * line is then lost.
     *
     * @return null if there is no place for this client, so that the order must be refused
     */
    public @Nullable Order begin(Actor actor, String action) {
        Place place = Place.take(gate, actor.client());
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

        /** The storage has failed. Unless it certainly changed nothing, the result is unknown. */
        public void failed(UnaryOperator<LoggingEventBuilder> details, Throwable cause) {
            if (cause instanceof StorageException failure && failure.effect() == Effect.NOT_DONE) {
                unchanged(details, FAILED);
            } else {
                write(details, "unknown");
            }
        }

        /** The order has changed nothing. */
        public void unchanged(UnaryOperator<LoggingEventBuilder> details, String result) {
            switch (failedOrders.add(actor.client(), clock.getAsLong())) {
                case OWN -> write(details, result);
                case MERGED_WITH_CLIENT -> merge(failuresOfClients.of(actor.client()), details, result);
                case MERGED_WITH_ALL ->
                    merge(failuresOfAll, line -> details.apply(line).addKeyValue("clients", "several"), result);
            }
        }

        private void merge(RateLimitedLog merged, UnaryOperator<LoggingEventBuilder> details, String result) {
            place.giveBackUnlessQueued();
            add(merged, actor, action, details, result);
        }

        private void write(UnaryOperator<LoggingEventBuilder> details, String result) {
            line(LOG.atInfo().addArgument(place), actor, action, details, result)
                    .log(MESSAGE);
            place.giveBackUnlessQueued();
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

    /** The token has no right to do this. */
    public void refused(Actor actor, String action, UnaryOperator<LoggingEventBuilder> details) {
        add(refusals.of(actor.client()), actor, action, details, "forbidden");
    }

    /** The number of clients whose refusals are remembered. */
    int names() {
        return refusals.clients();
    }

    /** Writes the merged lines that wait, because the process is about to end. */
    public void flush() {
        failuresOfClients.flush();
        failuresOfAll.flush();
        refusals.flush();
    }

    private static void add(
            RateLimitedLog merged,
            Actor actor,
            String action,
            UnaryOperator<LoggingEventBuilder> details,
            String result) {
        merged.add(line -> line(line, actor, action, details, result));
    }

    private static LoggingEventBuilder line(
            LoggingEventBuilder begun,
            Actor actor,
            String action,
            UnaryOperator<LoggingEventBuilder> details,
            String result) {
        return details.apply(actor.in(begun).addKeyValue("action", action)).addKeyValue("result", result);
    }
}
