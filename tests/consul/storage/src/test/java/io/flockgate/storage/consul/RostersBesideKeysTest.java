package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Terms;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.consul.roster.ConsulRosterProvider;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Keys and rosters below one base. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class RostersBesideKeysTest {
    @Test
    void haveNothingToDoWithEachOther() {
        String base = "beside/" + UUID.randomUUID() + "/";
        Vertx vertx = Vertx.vertx();
        Map<String, String> options =
                Map.of("consul-addr", ConsulAgent.shared().address().toString(), "consul-prefix", base);
        RosterStorage rosters = Await.result(new ConsulRosterProvider()
                .open(new RosterSettings(vertx, InstantSource.system(), "node", new OptionValues(options))));
        try (Site site = new Site(base)) {
            LockStorage keys = site.gateway(Map.of(), Duration.ofMillis(100));
            for (String group : List.of("default", "workers", "a", "A")) {
                Await.done(rosters.join(group, new Newcomer("n1", ""), new Terms(1, true)));
            }
            Site.Held held = site.hold(keys, Site.lock(".fleetlock/default"));
            Site.Held plain = site.hold(keys, Site.lock("default"));
            Site.Held idle = site.hold(keys, Site.lock("idle"));
            assertThat(idle.release()).isNotNull();

            Polling.until("the idle key is collected", () -> listed(keys).size() == 2);
            assertThat(listed(keys)).containsExactlyInAnyOrder(".fleetlock/default", "default");
            for (String group : List.of("default", "workers", "a", "A")) {
                assertThat(Await.result(rosters.read(group)).members()).containsOnlyKeys("n1");
            }
            assertThat(held.ending()).isNull();
            assertThat(plain.ending()).isNull();
            assertThat(Await.result(keys.inspect(KeyQuery.all(100))).keys()).hasSize(2);
            Await.done(rosters.close());
        }
        Await.done(vertx.close());
    }

    private static List<String> listed(LockStorage keys) {
        return Await.result(keys.inspect(KeyQuery.all(100))).keys().stream()
                .map(each -> each.key().toString())
                .toList();
    }
}
