package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.session.Admission;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.text.Fences;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Carries out operators' orders: free a slot, remove a waiter, drain the gateway. Writes an audit
 * line for each order. On one event loop.
 */
public final class OperatorRoutes {
    private static final Pattern WAITER = Pattern.compile("[!-.0-~]{1," + WaiterView.MAX_ID_LENGTH + "}");

    private final EventLoop loop;
    private final FailureReplies failures;
    private final OrderEvents orders;
    private final Admission admission;

    /**
     * @param feed receives the orders that were carried out
     */
    public OperatorRoutes(
            EventLoop loop, FailureReplies failures, KeyAdministration storage, Admission admission, EventFeed feed) {
        this.loop = loop;
        this.failures = failures;
        this.orders = new OrderEvents(storage, feed);
        this.admission = admission;
    }

    /** An order, carried out with its reason. */
    private interface Order {
        void carryOut(Query query, String reason);
    }

    /** Ends the grant with the fence in the path. */
    public void evict(HttpRequest request, Responder responder) {
        Key key = key(request, responder);
        if (key == null) {
            return;
        }
        String text = Utf8.decode(request.segment("fence"));
        OptionalLong fence = text == null ? OptionalLong.empty() : Fences.parse(text);
        if (fence.isEmpty()) {
            responder.reply(RestReplies.badRequest(
                    "fence must be 16 hex digits, as a key's holders show, or a decimal number"));
            return;
        }
        ordered(request, responder, true, (query, reason) -> {
            String given = query.value("force").orElse("false");
            if (!given.equals("true") && !given.equals("false")) {
                responder.reply(RestReplies.badRequest("force must be true or false"));
                return;
            }
            boolean force = given.equals("true");
            long number = fence.getAsLong();
            UnaryOperator<LoggingEventBuilder> details =
                    line -> Audit.exact(force ? line.addKeyValue("force", true) : line, "key", key.toBytes())
                            .addKeyValue("fence", Fences.hex(number))
                            .addKeyValue("reason", reason);
            failures.ordered(request, responder, "evictHolder", order -> {
                Future<EvictOutcome> evicted = orders.evict(key, number, force, reason);
                answer(responder, audited(order, details, evicted, EvictOutcome.EVICTED), OperatorRoutes::evicted);
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

    /** Removes the waiter with the id in the path from the queue. */
    public void removeWaiter(HttpRequest request, Responder responder) {
        Key key = key(request, responder);
        if (key == null) {
            return;
        }
        String waiter = Utf8.decode(request.segment("waiter"));
        if (waiter == null || !WAITER.matcher(waiter).matches()) {
            responder.reply(RestReplies.badRequest("waiter must be an id that a key's queue shows"));
            return;
        }
        ordered(request, responder, true, (query, reason) -> {
            UnaryOperator<LoggingEventBuilder> details = line -> Audit.exact(line, "key", key.toBytes())
                    .addKeyValue("waiter", waiter)
                    .addKeyValue("reason", reason);
            failures.ordered(request, responder, "removeWaiter", order -> {
                Future<RemoveOutcome> removed = orders.remove(key, waiter, reason);
                answer(responder, audited(order, details, removed, RemoveOutcome.REMOVED), OperatorRoutes::removed);
            });
        });
    }

    private static Reply removed(RemoveOutcome outcome) {
        return switch (outcome) {
            case REMOVED -> Reply.NO_CONTENT;
            case NOT_QUEUED -> RestReplies.NOT_QUEUED;
        };
    }

    /** Makes the gateway refuse new claims and report that it is not ready. */
    public void drain(HttpRequest request, Responder responder) {
        ordered(request, responder, true, (query, reason) -> drain(request, responder, true, "drain", reason));
    }

    /** Makes the gateway accept claims again. */
    public void undrain(HttpRequest request, Responder responder) {
        ordered(request, responder, false, (query, reason) -> drain(request, responder, false, "undrain", reason));
    }

    private void drain(HttpRequest request, Responder responder, boolean wanted, String action, String reason) {
        failures.ordered(request, responder, action, order -> {
            admission.drain(wanted);
            orders.drained(wanted, reason);
            order.changed(line -> reason.isEmpty() ? line : line.addKeyValue("reason", reason));
            responder.reply(Reply.NO_CONTENT);
        });
    }

    private static @Nullable Key key(HttpRequest request, Responder responder) {
        byte[] segment = request.segment("key");
        String fault = LockBodies.faultOf(segment);
        if (!fault.isEmpty()) {
            responder.reply(RestReplies.badRequest(fault));
            return null;
        }
        return Objects.requireNonNull(Key.copyOf(segment, 0, segment.length), "checked before");
    }

    private static void ordered(HttpRequest request, Responder responder, boolean needsReason, Order order) {
        Query query;
        try {
            query = Query.parse(request.query());
        } catch (IllegalArgumentException e) {
            responder.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
            return;
        }
        String reason = query.value("reason").orElse("");
        Reply refusal = needsReason ? OperatorReason.refusal(reason) : OperatorReason.refusalOfOptional(reason);
        if (refusal == null) {
            order.carryOut(query, reason);
        } else {
            responder.reply(refusal);
        }
    }

    private <T> void answer(Responder responder, Future<T> result, Function<T, Reply> form) {
        result.onComplete(done -> loop.post(
                () -> responder.reply(done.succeeded() ? form.apply(done.result()) : failures.of(done.cause()))));
    }

    /**
     * Writes the audit line when the result is known. If the storage has failed, the order may have
     * been carried out.
     *
     * @param done the outcome that means a change
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
