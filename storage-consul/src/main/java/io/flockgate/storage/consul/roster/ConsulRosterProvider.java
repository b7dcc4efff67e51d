package io.flockgate.storage.consul.roster;

import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/**
 * Makes the rosters of {@code --storage consul} known. A Consul that does not answer yet is no failure: the rosters wait for it.
 */
public final class ConsulRosterProvider implements RosterProvider {
    /** So that a call has time for another try. */
    private static final Duration COMMAND = Duration.ofMillis(1_500);

    @Override
    public String name() {
        return "consul";
    }

    @Override
    public Future<RosterStorage> open(RosterSettings settings) {
        Promise<RosterStorage> opened = Promise.promise();
        Environment environment = new SystemEnvironment(System::nanoTime);
        environment.start("consul-rosters-open", () -> {
            try {
                ConsulConfig options = new ConsulConfig(settings.options());
                opened.complete(open(
                        settings,
                        options.base(),
                        new EcwidConsulApi(environment, options.consul(environment), COMMAND)));
            } catch (RuntimeException e) {
                opened.fail(e);
            }
        });
        return opened.future();
    }

    /** Blocks until a first try to reach Consul has ended. */
    static ConsulRosters open(RosterSettings settings, String base, ConsulApi api) {
        ConsulRosters rosters =
                new ConsulRosters(api, base, settings.clock(), settings.gateway(), ConsulRosters.PATIENCE_MILLIS);
        rosters.start();
        return rosters;
    }
}
