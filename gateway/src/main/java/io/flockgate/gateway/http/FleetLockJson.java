package io.flockgate.gateway.http;

import io.flockgate.gateway.fleetlock.GroupReport;
import io.flockgate.gateway.stats.JsonText;
import io.flockgate.roster.Member;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What operators see of FleetLock's groups, in JSON. */
final class FleetLockJson {
    private FleetLockJson() {}

    static Reply groups(List<GroupReport> reports) {
        StringBuilder text = new StringBuilder("{\"groups\":[");
        for (int i = 0; i < reports.size(); i++) {
            head(i == 0 ? text.append('{') : text.append(",{"), reports.get(i));
            text.append('}');
        }
        return Reply.json(200, text.append("]}").toString());
    }

    static Reply group(GroupReport report) {
        StringBuilder text = new StringBuilder("{");
        head(text, report);
        text.append(",\"holders\":[");
        boolean first = true;
        for (Member member : report.roster().members().values()) {
            holder(first ? text : text.append(','), report, member);
            first = false;
        }
        return Reply.json(200, text.append("]}").toString());
    }

    private static void head(StringBuilder text, GroupReport report) {
        string(text.append("\"group\":"), report.group().name());
        text.append(",\"slots\":").append(report.group().slots());
        text.append(",\"held\":").append(report.roster().members().size());
        text.append(",\"stale\":").append(report.stale());
        text.append(",\"paused\":").append(report.roster().pause().isPresent());
        report.roster().pause().ifPresent(pause -> {
            time(text.append(",\"paused_since\":"), pause.since());
            string(text.append(",\"pause_reason\":"), pause.reason());
        });
        text.append(",\"window_open\":").append(report.isOpen());
        report.nextOpening().ifPresent(next -> time(text.append(",\"next_opening\":"), next.toInstant()));
    }

    private static void holder(StringBuilder text, GroupReport report, Member member) {
        string(text.append("{\"id\":"), member.id());
        text.append(",\"fence\":").append(member.fence());
        time(text.append(",\"since\":"), member.since());
        text.append(",\"age_s\":").append(report.age(member).toSeconds());
        time(text.append(",\"last_seen\":"), member.lastSeen());
        text.append(",\"stale\":").append(report.isStale(member));
        string(text.append(",\"address\":"), member.address());
        string(text.append(",\"gateway\":"), member.gateway());
        text.append('}');
    }

    private static void string(StringBuilder text, String value) {
        JsonText.quote(value.getBytes(StandardCharsets.UTF_8), text);
    }

    private static void time(StringBuilder text, Instant instant) {
        text.append('"').append(instant.truncatedTo(ChronoUnit.SECONDS)).append('"');
    }
}
