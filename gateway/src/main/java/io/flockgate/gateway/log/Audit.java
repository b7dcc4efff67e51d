package io.flockgate.gateway.log;

import io.flockgate.storage.Key;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.text.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.Executor;
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
 *   <li>An order reserves a place for its line before it is carried out, or is refused.
 *   <li>Each change, and each order whose result is unknown, has its own line.
 *   <li>So have the first {@value #MAX_FAILED} failed orders of a client in a second. Its others
 *       share a line, with a {@code count}, which the log may drop while it is not being read.
 *   <li>The refusals of a client share at most one line a second.
 * </ol>
 */
public final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final Logger ORDERS = LoggerFactory.getLogger(StderrAppender.ORDERS);
    private static final String MESSAGE = "audit";
    private static final int MAX_FAILED = 20;

    private final Throttle failures;
    private final Throttle refusals;

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

        /**
         * Whether a token may have this name: 1 to 64 printable ASCII characters without blanks.
         */
        public static boolean isName(String text) {
            return !text.isEmpty() && text.length() <= 64 && text.chars().allMatch(each -> each > ' ' && each <= '~');
        }
    }

    public Audit() {
        this(Throttle.IN_A_SECOND);
    }

    Audit(Executor inASecond) {
        this.failures = new Throttle(MAX_FAILED, inASecond);
        this.refusals = new Throttle(1, inASecond);
    }

    /**
     * Reserves a place in the log for the line of an order, so that no order is carried out whose
     * line is then lost.
     *
     * @return null if there is no place, so that the order must be refused
     */
    public @Nullable Order begin(Actor actor, String action) {
        return StderrAppender.PLACES.tryAcquire() ? new Order(actor, action) : null;
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
            line(ORDERS, details, "done").log(MESSAGE);
        }

        /** The storage has failed. Unless it certainly changed nothing, the result is unknown. */
        public void failed(UnaryOperator<LoggingEventBuilder> details, Throwable cause) {
            if (cause instanceof StorageException failure && failure.effect() == Effect.NOT_DONE) {
                unchanged(details, "failed");
            } else {
                line(ORDERS, details, "unknown").log(MESSAGE);
            }
        }

        /** The order has changed nothing. */
        public void unchanged(UnaryOperator<LoggingEventBuilder> details, String result) {
            if (failures.admit(
                    actor.client,
                    count -> Throttle.counted(line(LOG, details, result), count).log(MESSAGE))) {
                line(ORDERS, details, result).log(MESSAGE);
            } else {
                StderrAppender.PLACES.release();
            }
        }

        private LoggingEventBuilder line(Logger log, UnaryOperator<LoggingEventBuilder> details, String result) {
            return Audit.line(log, actor, action, details, result);
        }
    }

    private static LoggingEventBuilder line(
            Logger log, Actor actor, String action, UnaryOperator<LoggingEventBuilder> details, String result) {
        LoggingEventBuilder line = log.atInfo();
        LoggingEventBuilder begun = actor.token.isEmpty() ? line : line.addKeyValue("token", actor.token);
        return details.apply(begun.addKeyValue("peer", actor.peer).addKeyValue("action", action))
                .addKeyValue("result", result);
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

    /**
     * The token has no right to do this.
     *
     * @param object the key or its bytes, the group, or the session; empty for none
     */
    public void refused(Actor actor, String action, Object object) {
        refusals.log(
                actor.client, MESSAGE, () -> line(LOG, actor, action, details -> named(details, object), "forbidden"));
    }

    private static LoggingEventBuilder named(LoggingEventBuilder line, Object object) {
        return switch (object) {
            case byte[] bytes -> bytes.length == 0 ? line : exact(line, "object", bytes);
            case Key key -> exact(line, "object", key.toBytes());
            default -> object.equals("") ? line : line.addKeyValue("object", object);
        };
    }

    /** Writes the shared lines that wait, because the process is about to end. */
    public void flush() {
        failures.flush();
        refusals.flush();
    }
}
