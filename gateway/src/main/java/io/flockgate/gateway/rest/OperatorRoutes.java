package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.session.Admission;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Carries out what operators order: free a slot, remove a waiter, drain the gateway. Writes an
 * audit line for each order. On one event loop.
 */
public final class OperatorRoutes {
    private static final Pattern FENCE = Pattern.compile("[0-9A-Fa-f]{16}");
    private static final Pattern WAITER = Pattern.compile("[!-.0-~]{1," + WaiterView.MAX_ID_LENGTH + "}");

    private final EventLoop loop;
    private final FailureReplies failures;
    private final OrderEvents orders;
    private final Admission admission;

    /**
     * @param feed gets the orders that were carried out
     */
    public OperatorRoutes(
            EventLoop loop, FailureReplies failures, KeyAdministration storage, Admission admission, EventFeed feed) {
        this.loop = loop;
        this.failures = failures;
        this.orders = new OrderEvents(storage, feed);
        this.admission = admission;
    }

    /** An order, with the reason for it. */
    private interface Order {
        void carryOut(Query query, String reason);
    }

    /** Ends the grant with the fence in the path. */
    public void evict(HttpExchange exchange, RequestHead head, Routing.Found found) {
        Key key = key(exchange, found);
        if (key == null) {
            return;
        }
        String fence = Utf8.decode(found.segment(1));
        if (fence == null || !FENCE.matcher(fence).matches()) {
            exchange.reply(RestReplies.badRequest("fence must be 16 hex digits, as a key's holders show"));
            return;
        }
        ordered(exchange, head, true, (query, reason) -> {
            String given = query.value("force").orElse("false");
            if (!given.equals("true") && !given.equals("false")) {
                exchange.reply(RestReplies.badRequest("force must be true or false"));
                return;
            }
            boolean force = given.equals("true");
            long number = HexFormat.fromHexDigitsToLong(fence);
            UnaryOperator<LoggingEventBuilder> details =
                    line -> Audit.exact(force ? line.addKeyValue("force", true) : line, "key", key.toBytes())
                            .addKeyValue("fence", fence)
                            .addKeyValue("reason", reason);
            failures.ordered(exchange, "evictHolder", order -> {
                Future<EvictOutcome> evicted = orders.evict(key, number, force, reason);
                answer(exchange, audited(order, details, evicted, EvictOutcome.EVICTED), OperatorRoutes::evicted);
            });
        });
    }

    private static Reply evicted(EvictOutcome outcome) {
        return switch (outcome) {
            case EVICTED -> Reply.NO_CONTENT;
            case NOT_HELD -> RestReplies.NOT_HELD;
            case FENCE_MISMATCH -> RestReplies.OTHER_HOLDER;
            case FOREIGN -> RestReplies.FOREIGN_HOLDER;
        };
    }

    /** Takes the waiter with the id in the path out of the queue. */
    public void removeWaiter(HttpExchange exchange, RequestHead head, Routing.Found found) {
        Key key = key(exchange, found);
        if (key == null) {
            return;
        }
        String waiter = Utf8.decode(found.segment(1));
        if (waiter == null || !WAITER.matcher(waiter).matches()) {
            exchange.reply(RestReplies.badRequest("waiter must be an id that a key's queue shows"));
            return;
        }
        ordered(exchange, head, true, (query, reason) -> {
            UnaryOperator<LoggingEventBuilder> details = line -> Audit.exact(line, "key", key.toBytes())
                    .addKeyValue("waiter", waiter)
                    .addKeyValue("reason", reason);
            failures.ordered(exchange, "removeWaiter", order -> {
                Future<RemoveOutcome> removed = orders.remove(key, waiter, reason);
                answer(exchange, audited(order, details, removed, RemoveOutcome.REMOVED), OperatorRoutes::removed);
            });
        });
    }

    private static Reply removed(RemoveOutcome outcome) {
        return switch (outcome) {
            case REMOVED -> Reply.NO_CONTENT;
            case NOT_QUEUED -> RestReplies.NOT_QUEUED;
        };
    }

    /** Makes the gateway refuse new claims, and not ready. */
    public void drain(HttpExchange exchange, RequestHead head) {
        ordered(exchange, head, true, (query, reason) -> drain(exchange, true, "drain", reason));
    }

    /** Makes the gateway take claims again. */
    public void undrain(HttpExchange exchange, RequestHead head) {
        ordered(exchange, head, false, (query, reason) -> drain(exchange, false, "undrain", reason));
    }

    private void drain(HttpExchange exchange, boolean wanted, String action, String reason) {
        failures.ordered(exchange, action, order -> {
            admission.drain(wanted);
            orders.drained(wanted, reason);
            order.changed(line -> line.addKeyValue("reason", reason));
            exchange.reply(Reply.NO_CONTENT);
        });
    }

    private static @Nullable Key key(HttpExchange exchange, Routing.Found found) {
        byte[] segment = found.segment();
        String fault = LockBodies.faultOf(segment);
        if (!fault.isEmpty()) {
            exchange.reply(RestReplies.badRequest(fault));
            return null;
        }
        return Objects.requireNonNull(Key.copyOf(segment, 0, segment.length), "checked before");
    }

    private static void ordered(HttpExchange exchange, RequestHead head, boolean needsReason, Order order) {
        Query query;
        try {
            query = Query.parse(head.target().query());
        } catch (IllegalArgumentException e) {
            exchange.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
            return;
        }
        String reason = query.value("reason").orElse("");
        Reply refusal = needsReason ? OperatorReason.refusal(reason) : OperatorReason.refusalOfOptional(reason);
        if (refusal == null) {
            order.carryOut(query, reason);
        } else {
            exchange.reply(refusal);
        }
    }

    private <T> void answer(HttpExchange exchange, Future<T> result, Function<T, Reply> form) {
        result.onComplete(done -> loop.post(
                () -> exchange.reply(done.succeeded() ? form.apply(done.result()) : failures.of(done.cause()))));
    }

    /**
     * Writes the audit line when the result is there. If the storage has failed, the order may have
     * been carried out.
     *
     * @param done the outcome that has changed something
     */
    private static <T extends Enum<T>> Future<T> audited(
            Audit.Order order, UnaryOperator<LoggingEventBuilder> details, Future<T> result, T done) {
        return result.onSuccess(outcome -> {
                    if (outcome == done) {
                        order.changed(details);
                    } else {
                        order.unchanged(details, outcome.name().toLowerCase(Locale.ROOT));
                    }
                })
                .onFailure(cause -> order.unknown(details));
    }
}
