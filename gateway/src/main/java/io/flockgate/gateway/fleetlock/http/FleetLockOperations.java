package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.OperatorReason;
import io.flockgate.gateway.rest.Query;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.Routing;
import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.DepartureOutcome.Unchanged;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The operators' part of the REST API for FleetLock (protocol-docs/rest-api.md, "FleetLock
 * groups"). On one event loop.
 */
public final class FleetLockOperations {
    private static final Pattern FENCE = Pattern.compile("[0-9]{1,18}");

    private final EventLoop loop;
    private final FailureReplies failures;
    private final @Nullable FleetLockAdmin admin;

    /**
     * @param admin null where FleetLock is not served
     */
    public FleetLockOperations(EventLoop loop, FailureReplies failures, @Nullable FleetLockAdmin admin) {
        this.loop = loop;
        this.failures = failures;
        this.admin = admin;
    }

    /** An operation on a group, with the parameters of its request. */
    private interface GroupOperation {
        void begin(FleetLockAdmin admin, FleetLockGroup group, Query query);
    }

    public void groups(HttpExchange exchange) {
        if (admin == null) {
            exchange.reply(RestReplies.FLEETLOCK_OFF);
        } else {
            reply(exchange, admin.groups(), FleetLockJson::groups);
        }
    }

    public void group(HttpExchange exchange, RequestHead head, Routing.Found found) {
        onGroup(
                exchange,
                head,
                found,
                (existing, group, query) -> reply(exchange, existing.group(group), FleetLockJson::group));
    }

    public void remove(HttpExchange exchange, RequestHead head, Routing.Found found) {
        onGroup(exchange, head, found, (existing, group, query) -> {
            String id = Utf8.decode(found.segment(1));
            String reason = query.value("reason").orElse("");
            Reply refusal = OperatorReason.refusal(reason);
            Optional<String> fence = query.value("fence");
            if (id == null || !ClientParams.isId(id)) {
                exchange.reply(RestReplies.badRequest("invalid holder id"));
            } else if (refusal != null) {
                exchange.reply(refusal);
            } else if (fence.isPresent() && !FENCE.matcher(fence.get()).matches()) {
                exchange.reply(RestReplies.badRequest("fence must be a number that a group's holders show"));
            } else {
                OptionalLong wanted = fence.stream().mapToLong(Long::parseLong).findFirst();
                Departure departure = new Departure(id, wanted);
                failures.ordered(
                        exchange,
                        "removeHolder",
                        order -> reply(
                                exchange,
                                existing.remove(group, departure, reason, order),
                                FleetLockOperations::removed));
            }
        });
    }

    private static Reply removed(DepartureOutcome outcome) {
        return switch (outcome) {
            case Left ignored -> Reply.NO_CONTENT;
            case Unchanged unchanged ->
                switch (unchanged) {
                    case NOT_MEMBER -> RestReplies.NOT_HELD;
                    case OTHER_FENCE -> RestReplies.FENCE_MISMATCH;
                };
        };
    }

    public void pause(HttpExchange exchange, RequestHead head, Routing.Found found) {
        onGroup(exchange, head, found, (existing, group, query) -> {
            String reason = query.value("reason").orElse("");
            Reply refusal = OperatorReason.refusal(reason);
            if (refusal == null) {
                failures.ordered(
                        exchange,
                        "pauseGroup",
                        order -> reply(exchange, existing.pause(group, reason, order), FleetLockJson::group));
            } else {
                exchange.reply(refusal);
            }
        });
    }

    public void resume(HttpExchange exchange, RequestHead head, Routing.Found found) {
        onGroup(exchange, head, found, (existing, group, query) -> {
            String reason = query.value("reason").orElse("");
            Reply refusal = OperatorReason.refusalOfOptional(reason);
            if (refusal == null) {
                failures.ordered(
                        exchange,
                        "resumeGroup",
                        order -> reply(exchange, existing.resume(group, reason, order), FleetLockJson::group));
            } else {
                exchange.reply(refusal);
            }
        });
    }

    private void onGroup(HttpExchange exchange, RequestHead head, Routing.Found found, GroupOperation operation) {
        FleetLockAdmin existing = admin;
        if (existing == null) {
            exchange.reply(RestReplies.FLEETLOCK_OFF);
            return;
        }
        Query query;
        try {
            query = Query.parse(head.target().query());
        } catch (IllegalArgumentException e) {
            exchange.reply(RestReplies.badRequest(String.valueOf(e.getMessage())));
            return;
        }
        String name = Utf8.decode(found.segment());
        Optional<FleetLockGroup> group = name == null ? Optional.empty() : existing.find(name);
        if (group.isEmpty()) {
            exchange.reply(RestReplies.UNKNOWN_GROUP);
        } else {
            operation.begin(existing, group.get(), query);
        }
    }

    private <T> void reply(HttpExchange exchange, Future<T> result, Function<T, Reply> form) {
        result.onComplete(done -> loop.post(
                () -> exchange.reply(done.succeeded() ? form.apply(done.result()) : failures.of(done.cause()))));
    }
}
