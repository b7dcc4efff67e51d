package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.gateway.fleetlock.GroupReport;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.FaultException;
import io.flockgate.gateway.rest.ListingQueue;
import io.flockgate.gateway.rest.OperatorReason;
import io.flockgate.gateway.rest.Query;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.DepartureOutcome.Unchanged;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The operators' part of the REST API for FleetLock (protocol-docs/rest-api.md, "FleetLock
 * groups"). On one event loop.
 */
public final class FleetLockOperations {
    private static final Pattern FENCE = Pattern.compile("[0-9]{1,18}");

    private final FailureReplies failures;
    private final ListingQueue listings;
    private final @Nullable FleetLockAdmin admin;

    /**
     * @param listings limits the reports on groups, which may have a thousand holders each
     * @param admin null where FleetLock is not served
     */
    public FleetLockOperations(FailureReplies failures, ListingQueue listings, @Nullable FleetLockAdmin admin) {
        this.failures = failures;
        this.listings = listings;
        this.admin = admin;
    }

    /** An operation on a group, with the parameters of its request. */
    private interface GroupOperation {
        void begin(FleetLockAdmin admin, FleetLockGroup group, Query query);
    }

    /** An order that changes a group, with its reason, and the line in the log that it must end. */
    private interface GroupChange {
        Future<GroupReport> begin(FleetLockAdmin admin, FleetLockGroup group, String reason, Audit.Order audited);
    }

    public void groups(HttpRequest request, Responder responder) {
        if (admin == null) {
            responder.reply(RestReplies.FLEETLOCK_OFF);
        } else {
            listings.run(request, responder, () -> failures.answer(responder, admin.groups(), FleetLockJson::groups));
        }
    }

    public void group(HttpRequest request, Responder responder) {
        onGroup(
                request,
                responder,
                (existing, group, query) -> listings.run(
                        request,
                        responder,
                        () -> failures.answerInParts(responder, existing.group(group), FleetLockJson::group)));
    }

    public void remove(HttpRequest request, Responder responder) {
        onGroup(request, responder, (existing, group, query) -> {
            String id = Utf8.decode(request.segment("id"));
            if (id == null || !ClientParams.isId(id)) {
                throw new FaultException("invalid holder id");
            }
            String reason = OperatorReason.of(query, true);
            Departure departure = new Departure(id, fence(query));
            failures.ordered(
                    request,
                    responder,
                    "removeHolder",
                    order -> failures.answer(
                            responder, existing.remove(group, departure, reason, order), FleetLockOperations::removed));
        });
    }

    private static OptionalLong fence(Query query) {
        String fence = query.value("fence").orElse(null);
        if (fence == null) {
            return OptionalLong.empty();
        }
        if (!FENCE.matcher(fence).matches()) {
            throw new FaultException("fence must be a number that a group's holders show");
        }
        return OptionalLong.of(Long.parseLong(fence));
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

    public void pause(HttpRequest request, Responder responder) {
        change(request, responder, "pauseGroup", true, FleetLockAdmin::pause);
    }

    public void resume(HttpRequest request, Responder responder) {
        change(request, responder, "resumeGroup", false, FleetLockAdmin::resume);
    }

    private void change(
            HttpRequest request, Responder responder, String action, boolean needsReason, GroupChange change) {
        onGroup(request, responder, (existing, group, query) -> {
            String reason = OperatorReason.of(query, needsReason);
            failures.ordered(
                    request,
                    responder,
                    action,
                    order -> failures.answerInParts(
                            responder, change.begin(existing, group, reason, order), FleetLockJson::group));
        });
    }

    private void onGroup(HttpRequest request, Responder responder, GroupOperation operation) {
        FleetLockAdmin existing = admin;
        if (existing == null) {
            responder.reply(RestReplies.FLEETLOCK_OFF);
            return;
        }
        Query query = Query.parse(request.query());
        String name = Utf8.decode(request.segment("group"));
        Optional<FleetLockGroup> group = name == null ? Optional.empty() : existing.find(name);
        if (group.isEmpty()) {
            responder.reply(RestReplies.UNKNOWN_GROUP);
        } else {
            operation.begin(existing, group.get(), query);
        }
    }
}
