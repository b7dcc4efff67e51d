package io.flockgate.gateway.http;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.roster.Departure;
import io.flockgate.roster.LeaveOutcome;
import io.flockgate.roster.LeaveOutcome.Left;
import io.flockgate.roster.LeaveOutcome.Unchanged;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The operators' part of the REST API for FleetLock (REST API, "FleetLock groups"). On one event loop. */
final class FleetLockOperations {
    private static final int MOST_REASON_BYTES = 256;
    private static final Pattern FENCE = Pattern.compile("[0-9]{1,18}");

    private final EventLoop loop;
    private final FailureReplies failures;
    private final @Nullable FleetLockAdmin admin;

    /** @param admin null where FleetLock is not served */
    FleetLockOperations(EventLoop loop, FailureReplies failures, @Nullable FleetLockAdmin admin) {
        this.loop = loop;
        this.failures = failures;
        this.admin = admin;
    }

    /** What a request with a group and parameters wants done. */
    private interface Work {
        void begin(FleetLockAdmin admin, FleetLockGroup group, Query query);
    }

    void groups(HttpExchange exchange) {
        if (admin == null) {
            exchange.reply(Reply.FLEETLOCK_OFF);
        } else {
            reply(exchange, admin.groups(), FleetLockJson::groups);
        }
    }

    void group(HttpExchange exchange, RequestHead head, Routing.Found found) {
        with(exchange, head, found, (here, group, query) -> reply(exchange, here.group(group), FleetLockJson::group));
    }

    void remove(HttpExchange exchange, RequestHead head, Routing.Found found) {
        with(exchange, head, found, (here, group, query) -> {
            String id = Utf8.decode(found.segment(1));
            String reason = query.value("reason").orElse("");
            Optional<String> fence = query.value("fence");
            if (id == null || !ClientParams.isId(id)) {
                exchange.reply(Reply.badRequest("invalid holder id"));
            } else if (!isReason(reason)) {
                exchange.reply(Reply.badRequest("reason required, up to 256 bytes"));
            } else if (fence.isPresent() && !FENCE.matcher(fence.get()).matches()) {
                exchange.reply(Reply.badRequest("fence must be a number that a group's holders show"));
            } else {
                OptionalLong wanted = fence.stream().mapToLong(Long::parseLong).findFirst();
                Departure departure = new Departure(id, wanted);
                reply(
                        exchange,
                        here.remove(group, departure, reason, exchange.address()),
                        FleetLockOperations::removed);
            }
        });
    }

    private static Reply removed(LeaveOutcome outcome) {
        return switch (outcome) {
            case Left ignored -> Reply.NO_CONTENT;
            case Unchanged unchanged ->
                switch (unchanged) {
                    case NOT_MEMBER -> Reply.NOT_HELD;
                    case OTHER_FENCE -> Reply.FENCE_MISMATCH;
                };
        };
    }

    void pause(HttpExchange exchange, RequestHead head, Routing.Found found) {
        with(exchange, head, found, (here, group, query) -> {
            String reason = query.value("reason").orElse("");
            if (isReason(reason)) {
                reply(exchange, here.pause(group, reason, exchange.address()), FleetLockJson::group);
            } else {
                exchange.reply(Reply.badRequest("reason required, up to 256 bytes"));
            }
        });
    }

    void resume(HttpExchange exchange, RequestHead head, Routing.Found found) {
        with(exchange, head, found, (here, group, query) -> {
            String reason = query.value("reason").orElse("");
            if (reason.isEmpty() || isReason(reason)) {
                reply(exchange, here.resume(group, reason, exchange.address()), FleetLockJson::group);
            } else {
                exchange.reply(Reply.badRequest("reason too long (max 256 bytes)"));
            }
        });
    }

    private static boolean isReason(String text) {
        return !text.isBlank() && text.getBytes(StandardCharsets.UTF_8).length <= MOST_REASON_BYTES;
    }

    private void with(HttpExchange exchange, RequestHead head, Routing.Found found, Work work) {
        FleetLockAdmin here = admin;
        if (here == null) {
            exchange.reply(Reply.FLEETLOCK_OFF);
            return;
        }
        Query query = Query.parse(head.target().query());
        String name = Utf8.decode(found.segment());
        Optional<FleetLockGroup> group = name == null ? Optional.empty() : here.find(name);
        if (query == null) {
            exchange.reply(Reply.badRequest("malformed query"));
        } else if (group.isEmpty()) {
            exchange.reply(Reply.UNKNOWN_GROUP);
        } else {
            work.begin(here, group.get(), query);
        }
    }

    private <T> void reply(HttpExchange exchange, Future<T> result, Function<T, Reply> form) {
        result.onComplete(done -> loop.post(
                () -> exchange.reply(done.succeeded() ? form.apply(done.result()) : failures.of(done.cause()))));
    }
}
