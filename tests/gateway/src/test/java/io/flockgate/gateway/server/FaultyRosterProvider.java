package io.flockgate.gateway.server;

import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.vertx.core.Future;

/** Rosters in memory, with faults in groups of certain names: {@code --storage=faulty}. */
public final class FaultyRosterProvider implements RosterProvider {
    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        return Future.succeededFuture(
                new RosterStorage(new FaultyRosters(), settings, loop -> Thread.startVirtualThread(loop)));
    }
}
