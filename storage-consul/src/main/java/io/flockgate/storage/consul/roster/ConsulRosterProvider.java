package io.flockgate.storage.consul.roster;

import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * The provider of the rosters of {@code --storage consul}. If Consul does not answer yet, the
 * rosters open anyway and wait for it.
 */
public final class ConsulRosterProvider implements RosterProvider {
    /** The time limit of a request, which leaves a call enough time for another attempt. */
    private static final Duration COMMAND = Duration.ofMillis(1_500);

    @Override
    public String name() {
        return "consul";
    }

    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        Environment environment = new SystemEnvironment();
        try {
            ConsulConfig config = new ConsulConfig(settings.options());
            return Future.succeededFuture(open(settings, config, environment));
        } catch (RuntimeException e) {
            environment.close();
            return Future.failedFuture(e);
        }
    }

    private static RosterStorage open(RosterSettings settings, ConsulConfig config, Environment environment) {
        ConsulApi api = new EcwidConsulApi(environment, config.consul(environment), COMMAND);
        return new RosterStorage(
                new ConsulRosters(api, config.base(), environment),
                settings,
                loop -> environment.start("consul-roster", loop));
    }
}
