package io.flockgate.storage.consul.roster;

import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
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
        Promise<RosterStorage> opened = Promise.promise();
        Environment environment = new SystemEnvironment();
        environment.start("consul-rosters-open", () -> {
            try {
                opened.complete(open(settings, environment));
            } catch (RuntimeException e) {
                environment.close();
                opened.fail(e);
            }
        });
        return opened.future();
    }

    /** Blocks until a first attempt to reach Consul has ended. */
    private static ConsulRosters open(RosterSettings settings, Environment environment) {
        ConsulConfig config = new ConsulConfig(settings.options());
        ConsulRosters rosters = new ConsulRosters(
                new EcwidConsulApi(environment, config.consul(environment), COMMAND),
                config.base(),
                settings.clock(),
                settings.gateway(),
                ConsulRosters.PATIENCE_MILLIS,
                environment);
        rosters.start();
        return rosters;
    }
}
