package io.flockgate.storage.memory.roster;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Opens rosters for tests, and calls them. */
final class Rosters {
    static final String GROUP = "g";
    static final Terms AMPLE = new Terms(1_000_000, true);
    static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-03-01T12:00:00Z"));

    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().factory();
    private static final Vertx VERTX = Vertx.vertx();

    private Rosters() {}

    static RosterStorage open(FakeDirectory disk) throws IOException {
        return open(disk, RosterStorage.PATIENCE_MILLIS);
    }

    static RosterStorage open(FakeDirectory disk, long patienceMillis) throws IOException {
        return open(FileRosters.open(disk), CLOCK, patienceMillis);
    }

    static RosterStorage open(RosterStore store, InstantSource clock, long patienceMillis) {
        Executor worker = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DAEMONS);
        RosterSettings settings = new RosterSettings(VERTX, clock, "node-1", OptionValues.DEFAULTS);
        return new RosterStorage(store, settings, worker, patienceMillis);
    }

    static Future<JoinOutcome> join(RosterStorage rosters, String id) {
        return rosters.join(GROUP, new Newcomer(id, "192.0.2.1"), AMPLE);
    }

    static Future<DepartureOutcome> leave(RosterStorage rosters, String id) {
        return rosters.leave(GROUP, Departure.of(id));
    }

    static Set<String> members(RosterStorage rosters) {
        return Await.result(rosters.read(GROUP)).members().keySet();
    }

    /** The members that the next start finds on the disk. */
    static Set<String> membersOn(FakeDirectory left) throws IOException {
        RosterStorage rosters = open(left);
        Set<String> members = members(rosters);
        Await.done(rosters.close());
        return members;
    }
}
