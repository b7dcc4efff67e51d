package io.flockgate.gateway.fleetlock.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.fleetlock.GroupReport;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.Document;
import io.flockgate.gateway.stats.JsonDocument;
import io.flockgate.roster.Member;
import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Writes the reports on FleetLock's groups for operators, as JSON. */
final class FleetLockJson {
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

    /** A group with its holders, some at a time. */
    static Document group(GroupReport report) {
        return new Group(report);
    }

    private static final class Group extends JsonDocument {
        private static final int HOLDERS_PER_PART = 64;

        private final GroupReport report;
        private final Iterator<Member> holders;
        private boolean begun;

        private Group(GroupReport report) {
            this.report = report;
            this.holders = report.roster().members().values().iterator();
        }

        @Override
        protected void writePart(JsonGenerator json) throws IOException {
            if (!begun) {
                begun = true;
                json.writeStartObject();
                writeState(json, report);
                json.writeArrayFieldStart("holders");
            }
            for (int i = 0; i < HOLDERS_PER_PART && holders.hasNext(); i++) {
                write(json, report, holders.next());
            }
            if (!holders.hasNext()) {
                json.writeEndArray();
                json.writeEndObject();
                end();
            }
        }
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
        boolean open = report.isOpen();
        json.writeBooleanField("window_open", open);
        Optional<ZonedDateTime> opening = open ? Optional.empty() : report.nextOpening();
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
