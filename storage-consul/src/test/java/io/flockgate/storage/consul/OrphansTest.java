package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tickets and contender keys without a session, as {@code consul kv import} creates them. */
@Execution(ExecutionMode.CONCURRENT)
class OrphansTest {
    private static final String TICKET = "{\"gw\":\"gone-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0}";
    private static final String SESSION = "05b33008-1db7-8c50-36e5-b061e56d4616";

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    private void put(String name, long flags, String value) {
        KvEntry unused = site.consul().put(StandIns.BASE + name, flags, value.getBytes(UTF_8));
    }

    /** The names below the base, except for those of gateways. */
    private List<String> names() {
        return site.consul().tree(StandIns.BASE).stream()
                .map(each -> each.key().substring(StandIns.BASE.length()))
                .filter(name -> !name.startsWith(".gateways/"))
                .toList();
    }

    /** Entries to be kept exist next to entries to be deleted. */
    @Test
    void orphansAreDeletedAndNothingElse() {
        Gateway gateway = site.gateway(Map.of("consul-session-ttl", "86400"), Duration.ofSeconds(1), api -> api);
        // A lease that outlasts the jumps.
        Had had = gateway.hold(new Claim(Key.of("held"), Kind.LOCK, 1, 80_000, true));
        put("held/.wait/gone-1-000000000001", 0, TICKET);
        put("job/.wait/gone-1-000000000001", 0, TICKET);
        put("job/.seq", 0, "gone-1-000000000001");
        put("pool/" + SESSION, Flags.SEMAPHORE, "");
        put("foreign/notes", 0, "x");
        put("foreign/deep/" + SESSION, Flags.SEMAPHORE, "");
        for (int i = 0; i < 200; i++) {
            put("many/.wait/gone-1-" + i, 0, TICKET);
        }
        Polling.until("orphans are deleted", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names().size() == 4;
        });
        assertThat(names())
                .containsExactlyInAnyOrder(".flockgate", "held/.lock", "foreign/notes", "foreign/deep/" + SESSION);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** More entries than the transaction that forgets the key deletes. */
    @Test
    void anIdleKeyGoesWithAllThatDeadGatewaysLeft() {
        Gateway gateway = site.gateway(Map.of("consul-session-ttl", "86400"), Duration.ofSeconds(1), api -> api);
        for (int i = 0; i < 200; i++) {
            put("job/.wait/gone-1-" + i, 0, TICKET);
        }
        put("pool/" + SESSION, Flags.SEMAPHORE, "");
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.hold(Site.semaphore("pool", 1)).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("both keys are gone", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names().equals(List.of(".flockgate"));
        });
        Polling.until("none counts", () -> gateway.storage().usage().keys() == 0);
    }

    @Test
    void orphansDelayNobody() {
        put("job/.wait/gone-1-000000000001", 0, TICKET);
        put("pool/" + SESSION, Flags.SEMAPHORE, "");
        Gateway gateway = site.gateway();
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.hold(Site.semaphore("pool", 1)).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
