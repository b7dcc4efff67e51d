package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code --consul-map}: a key at a prefix that it shares with other software. */
@Execution(ExecutionMode.CONCURRENT)
class MappedKeyTest {
    private static final String PLACE = "service/db/";
    private static final String SESSION = "05b33008-1db7-8c50-36e5-b061e56d4616";
    private static final String FOREIGN_SESSION = "d3d5a5b4-8b0c-4f0e-9a58-0c6b0a8a7a11";

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    private Gateway gateway(Duration idle) {
        return site.gateway(Map.of("consul-map", "job=service/db", "consul-session-ttl", "86400"), idle, api -> api);
    }

    private Gateway gateway() {
        return gateway(Duration.ofHours(1));
    }

    private void put(String name, long flags, String value) {
        KvEntry unused = site.consul().put(PLACE + name, flags, value.getBytes(UTF_8));
    }

    /** Leaves more tickets than one transaction deletes. */
    private void leaveTickets() {
        for (int i = 0; i < 70; i++) {
            put(".wait/gone-1-" + i, 0, "{\"gw\":\"gone-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0}");
        }
    }

    private List<String> names() {
        return site.consul().tree(PLACE).stream()
                .map(each -> each.key().substring(PLACE.length()))
                .toList();
    }

    private void awaitWithoutLeftovers() {
        Polling.until(
                "what dead gateways left is deleted",
                () -> names().stream().noneMatch(each -> each.startsWith(".wait/gone-1") || each.equals(SESSION)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void itLivesWhereTheOperatorSaysAndItsEndIsSeenSoon(Kind kind) {
        Gateway gateway = gateway();
        Had had = gateway.hold(StandIns.claim(kind, 1300));
        assertThat(site.consul().tree(StandIns.BASE + "job/")).isEmpty();
        assertThat(names()).contains(".lock");
        assertThat(Await.result(gateway.storage().inspect(KeyQuery.all(10))).keys())
                .extracting(KeySummary::key)
                .containsExactly(Key.of("job"));
        site.consul().delete(PLACE + ".lock");
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theHolderDeletesWhatDeadGatewaysLeft(Kind kind) {
        Had had = gateway().hold(StandIns.claim(kind, 1300));
        leaveTickets();
        put(
                SESSION,
                Flags.SEMAPHORE,
                new String(HolderMark.of("gone-1", "n", 1, 30_000, false).toBytes(), UTF_8));
        awaitWithoutLeftovers();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theHeadDeletesWhatDeadGatewaysLeft() {
        Claim claim = StandIns.claim(Kind.LOCK, 1300);
        Had had = gateway().hold(claim);
        Queued waiter = gateway().queue(claim);
        leaveTickets();
        awaitWithoutLeftovers();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Entries of other software and of later versions stay, and so does an idle key. */
    @Test
    void nothingElseIsDeleted() {
        Gateway gateway = gateway(Duration.ofSeconds(1));
        Had had = gateway.hold(StandIns.claim(Kind.SEMAPHORE, 1300));
        put("config", 7, "x");
        put(FOREIGN_SESSION, Flags.SEMAPHORE, "");
        put(".wait/later", 0, "{\"v\":99,\"gw\":\"later-1\"}");
        put(".wait/notes", 0, "x");
        leaveTickets();
        awaitWithoutLeftovers();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        // Any key forgotten now has been idle for a shorter time.
        assertThat(gateway.hold(Site.lock("later")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("a later key is forgotten", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return site.consul().tree(StandIns.BASE + "later/").isEmpty();
        });
        gateway.awaitRest(0);
        assertThat(names()).contains(".lock", "config", FOREIGN_SESSION, ".wait/later", ".wait/notes");
    }
}
