package io.flockgate.gateway.fleetlock.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.fleetlock.ClientParams;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockAdmin.GroupReport;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.OperatorRoutes.OperatorReason;
import io.flockgate.gateway.rest.Query;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.roster.Member;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.text.Utf8;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The operators' part of the REST API for FleetLock (protocol-docs/rest-api.md, "FleetLock
 * groups"). Thread safe.
 */
public final class FleetLockOperations {
    private final Answers answers;
    private final @Nullable FleetLockAdmin admin;

    /**
     * @param admin null where FleetLock is not served
     */
    public FleetLockOperations(Answers answers, @Nullable FleetLockAdmin admin) {
        this.answers = answers;
        this.admin = admin;
    }

    /** The group that a request names, and its parameters. */
    private record Target(FleetLockAdmin admin, FleetLockGroup group, Query query) {}

    /** An order that changes a group, with its reason, and the line in the log that it must end. */
    private interface GroupChange {
        Future<GroupReport> begin(FleetLockAdmin admin, FleetLockGroup group, String reason, Audit.Order audited);
    }

    public void groups(HttpRequest request, Responder responder) {
        if (admin == null) {
            responder.reply(RestReplies.FLEETLOCK_OFF);
        } else {
            answers.report(request, responder, admin::groups, FleetLockJson::groups);
        }
    }

    public void group(HttpRequest request, Responder responder) {
        Target target = find(request, responder);
        if (target != null) {
            answers.report(request, responder, () -> target.admin().group(target.group()), FleetLockJson::group);
        }
    }

    public void remove(HttpRequest request, Responder responder) {
        Target target = find(request, responder);
        if (target == null) {
            return;
        }
        String id = Utf8.decode(request.segment("id"));
        if (id == null || !ClientParams.isId(id)) {
            throw new FaultException("invalid holder id");
        }
        Query query = target.query();
        String reason = OperatorReason.of(query, true);
        OptionalLong fence = query.has("fence")
                ? OptionalLong.of(query.number("fence", 1, Long.MAX_VALUE, 0))
                : OptionalLong.empty();
        Departure departure = new Departure(id, fence);
        answers.ordered(
                request,
                responder,
                "removeHolder",
                order -> answers.answer(
                        responder,
                        target.admin().remove(target.group(), departure, reason, order),
                        FleetLockOperations::removed));
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
        Target target = find(request, responder);
        if (target == null) {
            return;
        }
        String reason = OperatorReason.of(target.query(), needsReason);
        answers.ordered(
                request,
                responder,
                action,
                order -> answers.answer(
                        responder, change.begin(target.admin(), target.group(), reason, order), FleetLockJson::group));
    }

    /** The group that a request names; null if there is none, which is then answered. */
    private @Nullable Target find(HttpRequest request, Responder responder) {
        FleetLockAdmin existing = admin;
        if (existing == null) {
            responder.reply(RestReplies.FLEETLOCK_OFF);
            return null;
        }
        Query query = Query.parseText(request.query());
        String name = Utf8.decode(request.segment("group"));
        FleetLockGroup group = name == null ? null : existing.find(name);
        if (group == null) {
            responder.reply(RestReplies.UNKNOWN_GROUP);
            return null;
        }
        return new Target(existing, group, query);
    }

    /** Writes the reports on FleetLock's groups for operators, as JSON. */
    private static final class FleetLockJson {
        private FleetLockJson() {}

        static Reply groups(List<GroupReport> reports) {
            return Reply.json(200, json -> {
                json.writeStartObject();
                json.writeArrayFieldStart("groups");
                for (GroupReport report : reports) {
                    json.writeStartObject();
                    writeState(json, report);
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            });
        }

        /** A group with its holders. */
        static Reply group(GroupReport report) {
            return Reply.json(200, json -> {
                json.writeStartObject();
                writeState(json, report);
                json.writeArrayFieldStart("holders");
                for (Member each : report.roster().members().values()) {
                    write(json, report, each);
                }
                json.writeEndArray();
                json.writeEndObject();
            });
        }

        private static void writeState(JsonGenerator json, GroupReport report) throws IOException {
            json.writeStringField("group", report.group().name());
            json.writeNumberField("slots", report.group().slots());
            if (!report.group().isConfigured()) {
                json.writeBooleanField("configured", false);
            }
            json.writeNumberField("held", report.roster().members().size());
            json.writeNumberField("stale", report.stale());
            json.writeBooleanField("paused", report.roster().pause().isPresent());
            if (report.roster().pause().isPresent()) {
                var pause = report.roster().pause().get();
                write(json, "paused_since", pause.since());
                json.writeStringField("pause_reason", pause.reason());
            }
            boolean open = report.group().isOpen(report.at());
            json.writeBooleanField("window_open", open);
            Optional<ZonedDateTime> opening =
                    open ? Optional.empty() : report.group().nextOpening(report.at());
            if (opening.isPresent()) {
                write(json, "next_opening", opening.get().toInstant());
            }
        }

        private static void write(JsonGenerator json, GroupReport report, Member member) throws IOException {
            json.writeStartObject();
            json.writeStringField("id", member.id());
            json.writeNumberField("fence", member.fence());
            write(json, "since", member.since());
            json.writeNumberField("age_s", report.age(member).toSeconds());
            write(json, "last_seen", member.lastSeen());
            json.writeBooleanField("stale", report.isStale(member));
            json.writeStringField("address", member.address());
            json.writeStringField("gateway", member.gateway());
            json.writeEndObject();
        }

        private static void write(JsonGenerator json, String name, Instant instant) throws IOException {
            json.writeStringField(name, instant.truncatedTo(ChronoUnit.SECONDS).toString());
        }
    }
}
