package io.flockgate.storage.consul.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.tck.RosterHarness;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Rosters on a real Consul, on their own base. */
final class ConsulRosterHarness extends RosterHarness {
    private final Vertx vertx = Vertx.vertx();
    private final String base = "tck/" + UUID.randomUUID() + "/";

    @Override
    public RosterStorage open() {
        Map<String, String> options =
                Map.of("consul-addr", ConsulAgent.shared().address().toString(), "consul-prefix", base);
        RosterStorage rosters = Await.result(new ConsulRosterProvider()
                .open(new RosterSettings(vertx, this::now, gateway(), new OptionValues(options))));
        assertThat(rosters.failureReason()).isEmpty();
        return rosters;
    }

    @Override
    public Optional<RosterStorage> peer() {
        return Optional.of(open());
    }

    @Override
    public Optional<RosterStorage> reopen(RosterStorage crashed) {
        return peer();
    }

    @Override
    public void close() {
        Await.done(vertx.close());
    }
}
