package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Departure;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.LeaveOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;

/** Rosters on a disk that is given, and short words for what the tests do with them. */
final class Rosters {
    static final String GROUP = "g";
    static final Terms AMPLE = new Terms(1_000_000, true);
    static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-03-01T12:00:00Z"));

    private Rosters() {}

    static MemoryRosters open(FakeJournalDisk disk) throws IOException {
        return open(disk, Journal.LEAST_TO_COMPACT, MemoryRosters.PATIENCE_MILLIS);
    }

    static MemoryRosters open(FakeJournalDisk disk, int leastToCompact, long patienceMillis) throws IOException {
        MemoryRosters rosters = new MemoryRosters(Journal.open(disk, leastToCompact), CLOCK, "node", patienceMillis);
        rosters.start();
        return rosters;
    }

    static Future<JoinOutcome> join(RosterStorage rosters, String id) {
        return rosters.join(GROUP, new Newcomer(id, "192.0.2.1"), AMPLE);
    }

    static Future<LeaveOutcome> leave(RosterStorage rosters, String id) {
        return rosters.leave(GROUP, Departure.of(id));
    }

    static Set<String> members(RosterStorage rosters) {
        return Await.result(rosters.read(GROUP)).members().keySet();
    }

    /** What the next start finds on the disk. */
    static Set<String> membersOn(FakeJournalDisk left) throws IOException {
        MemoryRosters rosters = open(left);
        Set<String> members = members(rosters);
        Await.done(rosters.close());
        return members;
    }
}
