package io.flockgate.gateway.fleetlock;

import io.flockgate.gateway.fleetlock.FleetLockAdmin.GroupReport;
import io.flockgate.roster.Member;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of slots that an operator should look at, once each: those of a group that is not
 * configured, and those that are held for longer than expected. Thread safe.
 */
public final class FleetLockWatch {
    /** The time between two checks. */
    public static final long PERIOD_MILLIS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(FleetLockWatch.class);

    private final FleetLockAdmin admin;

    /** The warnings of the last check. */
    private Set<Object> warned = Set.of();

    /** A slot that was reported as stale. */
    private record Stale(String group, long fence) {}

    public FleetLockWatch(FleetLockAdmin admin) {
        this.admin = admin;
    }

    /** Reads all groups, and logs what has changed since the last check. */
    public Future<Void> check() {
        return admin.groups()
                .onSuccess(this::warn)
                .onFailure(cause ->
                        LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("fleetlock groups not read"))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private synchronized void warn(List<GroupReport> reports) {
        Set<Object> now = new HashSet<>();
        for (GroupReport report : reports) {
            String group = report.group().name();
            if (!report.group().isConfigured() && now.add(group) && !warned.contains(group)) {
                LOG.atWarn()
                        .addKeyValue("group", group)
                        .addKeyValue("held", report.roster().members().size())
                        .log("machines hold slots of a fleetlock group that is not configured");
            }
            for (Member member : report.roster().members().values()) {
                if (report.isStale(member)) {
                    warn(group, member, now);
                }
            }
        }
        warned = now;
    }

    private void warn(String group, Member member, Set<Object> now) {
        Stale stale = new Stale(group, member.fence());
        boolean unused = now.add(stale);
        if (!warned.contains(stale)) {
            LOG.atWarn()
                    .addKeyValue("group", group)
                    .addKeyValue("id", member.id())
                    .addKeyValue("since", member.since())
                    .log("a fleetlock slot is stale");
        }
    }
}
