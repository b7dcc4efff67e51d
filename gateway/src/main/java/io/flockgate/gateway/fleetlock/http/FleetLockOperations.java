package io.flockgate.gateway.fleetlock.http;

import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.gateway.fleetlock.GroupReport;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.FaultException;
import io.flockgate.gateway.rest.OperatorReason;
import io.flockgate.gateway.rest.Query;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
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

    private final Answers answers;
    private final @Nullable FleetLockAdmin admin;

    /**
     * @param admin null where FleetLock is not served
     */
    public FleetLockOperations(Answers answers, @Nullable FleetLockAdmin admin) {
        this.answers = answers;
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
            answers.report(request, responder, () -> answers.answer(responder, admin.groups(), FleetLockJson::groups));
        }
    }

    public void group(HttpRequest request, Responder responder) {
        onGroup(
                request,
                responder,
                (existing, group, query) -> answers.report(
                        request,
                        responder,
                        () -> answers.whenDone(
                                responder,
                                existing.group(group),
                                report -> responder.reply(FleetLockJson.group(report)))));
    }

    public void remove(HttpRequest request, Responder responder) {
        onGroup(request, responder, (existing, group, query) -> {
            String id = Utf8.decode(request.segment("id"));
            if (id == null || !ClientParams.isId(id)) {
                throw new FaultException("invalid holder id");
            }
            String reason = OperatorReason.of(query, true);
            Departure departure = new Departure(id, fence(query));
            answers.ordered(
                    request,
                    responder,
                    "removeHolder",
                    order -> answers.answer(
                            responder, existing.remove(group, departure, reason, order), FleetLockOperations::removed));
        });
    }

    private static OptionalLong fence(Query query) {
        String fence = query.text("fence");
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
            answers.ordered(
                    request,
                    responder,
                    action,
                    order -> answers.whenDone(
                            responder,
                            change.begin(existing, group, reason, order),
                            report -> responder.reply(FleetLockJson.group(report))));
        });
    }

    private void onGroup(HttpRequest request, Responder responder, GroupOperation operation) {
        FleetLockAdmin existing = admin;
        if (existing == null) {
            responder.reply(RestReplies.FLEETLOCK_OFF);
            return;
        }
        Query query = Query.parseText(request.query());
        String name = Utf8.decode(request.segment("group"));
        Optional<FleetLockGroup> group = name == null ? Optional.empty() : existing.find(name);
        if (group.isEmpty()) {
            responder.reply(RestReplies.UNKNOWN_GROUP);
        } else {
            operation.begin(existing, group.get(), query);
        }
    }
}
