package io.flockgate.gateway.server;

import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.vertx.core.Future;
import java.util.ServiceLoader;

/** Rosters in memory, with faults in groups of certain names: {@code --storage=faulty}. */
public final class FaultyRosterProvider implements RosterProvider {
    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        return ServiceLoader.load(RosterProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("memory"))
                .findFirst()
                .orElseThrow()
                .open(settings)
                .map(FaultyRosters::new);
    }
}
