package io.flockgate.gateway.fleetlock.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.gateway.fleetlock.GroupReport;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.flockgate.gateway.stats.JsonWriter;
import io.flockgate.roster.Member;
import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

    /** A group with its holders. */
    static Document group(GroupReport report) {
        List<Member> holders = List.copyOf(report.roster().members().values());
        return JsonWriter.inParts(
                Stream.of(json -> {
                    json.writeStartObject();
                    writeState(json, report);
                    json.writeArrayFieldStart("holders");
                }),
                JsonWriter.entries(holders.size(), (json, i) -> write(json, report, holders.get(i))),
                Stream.of(json -> {
                    json.writeEndArray();
                    json.writeEndObject();
                }));
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
