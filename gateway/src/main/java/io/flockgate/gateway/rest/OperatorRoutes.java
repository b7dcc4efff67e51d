package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.StorageFailures;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.Kind;
import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Carries out operators' orders: free a slot, remove a waiter, change a limit, drain the gateway.
 * Writes an audit line for each order, and publishes it as an event. Thread safe.
 */
public final class OperatorRoutes {
    private static final Pattern WAITER = Pattern.compile("[!-.0-~]{1," + WaiterView.MAX_ID_LENGTH + "}");

    private final Answers answers;
    private final KeyAdministration storage;
    private final ClientLimits limits;
    private final EventFeed feed;

    /**
     * The kind of the key and the client affected, as they were before the order, as far as known.
     */
    private record Hit(@Nullable Kind kind, @Nullable ClientView client) {
        static final Hit UNKNOWN = new Hit(null, null);
    }

    /**
     * @param feed receives the orders that were carried out
     */
    public OperatorRoutes(Answers answers, KeyAdministration storage, ClientLimits limits, EventFeed feed) {
        this.answers = answers;
        this.storage = storage;
        this.limits = limits;
        this.feed = feed;
    }

    /** Ends the grant with the fence in the path. */
    public void evict(HttpRequest request, Responder responder) {
        Key key = LockBody.key(request.segment("key"));
        long fence = fence(request.segment("fence"));
        Query given = Query.parseText(request.query());
        String reason = OperatorReason.of(given, true);
        boolean force = Boolean.TRUE.equals(given.flag("force"));
        UnaryOperator<LoggingEventBuilder> details =
                line -> Audit.exact(force ? line.addKeyValue("force", true) : line, "key", key.toBytes())
                        .addKeyValue("fence", Fences.hex(fence))
                        .addKeyValue("reason", reason);
        // Fences rise, so the page after the previous fence begins with this one.
        KeyDetailQuery query = new KeyDetailQuery(key, fence - 1, 1);
        answers.ordered(request, responder, "evictHolder", order -> {
            Future<EvictOutcome> evicted = hit(query, detail -> holder(detail, fence))
                    .compose(hit -> carryOut(
                            order,
                            details,
                            () -> storage.evict(key, fence, force),
                            EvictOutcome.EVICTED,
                            () -> publish(EventType.SET_FREE, key, hit, fence, 0, reason)));
            answers.answer(responder, evicted, OperatorRoutes::evicted);
        });
    }

    private static long fence(byte[] segment) {
        String text = Utf8.decode(segment);
        return (text == null ? OptionalLong.empty() : Fences.parse(text))
                .orElseThrow(() -> new FaultException(
                        "fence must be 16 hex digits, as a key's holders show, or a decimal number"));
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
        Key key = LockBody.key(request.segment("key"));
        String waiter = Utf8.decode(request.segment("waiter"));
        if (waiter == null || !WAITER.matcher(waiter).matches()) {
            throw new FaultException("waiter must be an id that a key's queue shows");
        }
        String reason = OperatorReason.of(Query.parseText(request.query()), true);
        UnaryOperator<LoggingEventBuilder> details = line -> Audit.exact(line, "key", key.toBytes())
                .addKeyValue("waiter", waiter)
                .addKeyValue("reason", reason);
        KeyDetailQuery query = KeyDetailQuery.first(key, PageQuery.MAX_LIMIT);
        answers.report(
                request,
                responder,
                () -> answers.ordered(request, responder, "removeWaiter", order -> {
                    Future<RemoveOutcome> removed = hit(query, detail -> waiter(detail, waiter))
                            .compose(hit -> carryOut(
                                    order,
                                    details,
                                    () -> storage.removeWaiter(key, waiter),
                                    RemoveOutcome.REMOVED,
                                    () -> publish(EventType.REMOVED, key, hit, 0, 0, reason)));
                    answers.answer(responder, removed, OperatorRoutes::removed);
                }));
    }

    private static Reply removed(RemoveOutcome outcome) {
        return switch (outcome) {
            case REMOVED -> Reply.NO_CONTENT;
            case NOT_QUEUED -> RestReplies.NOT_QUEUED;
        };
    }

    /** Changes the limit of the semaphore in the path. */
    public void setLimit(HttpRequest request, Responder responder) {
        Key key = LockBody.key(request.segment("key"));
        Query query = Query.parseText(request.query());
        long limit = query.number("limit", 1, Long.MAX_VALUE, 0);
        String reason = OperatorReason.of(query, true);
        UnaryOperator<LoggingEventBuilder> details = line -> Audit.exact(line, "key", key.toBytes())
                .addKeyValue("limit", limit)
                .addKeyValue("reason", reason);
        answers.ordered(request, responder, "setLimit", order -> {
            Future<LimitOutcome> set = carryOut(
                    order,
                    details,
                    () -> storage.setLimit(key, limit),
                    LimitOutcome.CHANGED,
                    () -> publish(EventType.LIMIT_CHANGED, key, new Hit(Kind.SEMAPHORE, null), 0, limit, reason));
            answers.answer(responder, set, OperatorRoutes::limitSet);
        });
    }

    private static Reply limitSet(LimitOutcome outcome) {
        return switch (outcome) {
            case CHANGED -> Reply.NO_CONTENT;
            case NO_KEY -> RestReplies.UNKNOWN_KEY;
            case NO_SEMAPHORE -> RestReplies.NO_SEMAPHORE;
        };
    }

    /** Makes the gateway refuse new claims and report that it is not ready. */
    public void drain(HttpRequest request, Responder responder) {
        drain(request, responder, true, "drain");
    }

    /** Makes the gateway accept claims again. */
    public void undrain(HttpRequest request, Responder responder) {
        drain(request, responder, false, "undrain");
    }

    private void drain(HttpRequest request, Responder responder, boolean wanted, String action) {
        String reason = OperatorReason.of(Query.parseText(request.query()), wanted);
        answers.ordered(request, responder, action, order -> {
            if (wanted) {
                limits.drain(reason);
            } else {
                limits.undrain();
            }
            publish(wanted ? EventType.DRAINED : EventType.UNDRAINED, null, Hit.UNKNOWN, 0, 0, reason);
            order.changed(line -> reason.isEmpty() ? line : line.addKeyValue("reason", reason));
            responder.reply(Reply.NO_CONTENT);
        });
    }

    /**
     * Carries out an order, and writes its audit line when the result is known. If the storage has
     * failed, the order may have been carried out.
     *
     * @param done the outcome that means a change
     * @param publish publishes the change
     */
    private static <T extends Enum<T>> Future<T> carryOut(
            Audit.Order order,
            UnaryOperator<LoggingEventBuilder> details,
            Supplier<Future<T>> call,
            T done,
            Runnable publish) {
        return StorageFailures.call(call)
                .onSuccess(outcome -> {
                    if (outcome == done) {
                        publish.run();
                        order.changed(details);
                    } else {
                        order.unchanged(details, outcome.name().toLowerCase(Locale.ROOT));
                    }
                })
                .onFailure(cause -> order.failed(details, cause));
    }

    private static @Nullable ClientView holder(KeyDetail detail, long fence) {
        return detail.holders().stream()
                .filter(each -> each.fence() == fence)
                .findFirst()
                .map(HolderView::client)
                .orElse(null);
    }

    private static @Nullable ClientView waiter(KeyDetail detail, String id) {
        return detail.waiters().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .map(WaiterView::client)
                .orElse(null);
    }

    /**
     * Reads the key before the order, because the client that the order affects cannot be found
     * afterwards. Never fails.
     */
    private Future<Hit> hit(KeyDetailQuery query, Function<KeyDetail, @Nullable ClientView> client) {
        return StorageFailures.call(() -> storage.inspect(query))
                .map(found -> found.map(detail -> new Hit(detail.summary().kind(), client.apply(detail)))
                        .orElse(Hit.UNKNOWN))
                .otherwise(Hit.UNKNOWN);
    }

    private void publish(EventType type, @Nullable Key key, Hit hit, long fence, long limit, String reason) {
        feed.publish(new ClientEvent(
                type,
                System.currentTimeMillis(),
                hit.client(),
                key,
                hit.kind(),
                fence,
                limit,
                reason.isEmpty() ? null : reason));
    }

    /** The reason that an operator gives for an order, which goes into the log. */
    public static final class OperatorReason {
        private static final int MAX_BYTES = 256;

        /**
         * Letters and symbols that are invisible: the Hangul fillers, and the blank Braille
         * pattern.
         */
        private static final String BLANKS = "\u115f\u1160\u2800\u3164\uffa0";

        private OperatorReason() {}

        /**
         * The reason that a query gives; empty if it gives none.
         *
         * @throws FaultException if it is too long, or missing although required
         */
        public static String of(Query query, boolean required) {
            String reason = Objects.requireNonNullElse(query.text("reason"), "");
            if (required && reason.codePoints().noneMatch(OperatorReason::isVisible)) {
                throw new FaultException("reason required, up to 256 bytes");
            }
            if (reason.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
                throw new FaultException("reason too long (max 256 bytes)");
            }
            return reason;
        }

        private static boolean isVisible(int c) {
            return c != ' ' && Quoting.isPrintable(c) && !isMark(c) && BLANKS.indexOf(c) < 0;
        }

        /** Marks are visible only on a letter before them, if at all. */
        private static boolean isMark(int c) {
            return switch (Character.getType(c)) {
                case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK -> true;
                default -> false;
            };
        }
    }
}
