package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leftovers of dead gateways at a mapped prefix, where no sweep deletes them. */
@Execution(ExecutionMode.CONCURRENT)
class MappedOrphansTest {
    private static final String PLACE = "service/db/";
    private static final String SESSION = "05b33008-1db7-8c50-36e5-b061e56d4616";
    private static final String FOREIGN_SESSION = "d3d5a5b4-8b0c-4f0e-9a58-0c6b0a8a7a11";

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    private Gateway gateway() {
        return site.gateway(Map.of("consul-map", "job=service/db", "consul-session-ttl", "600"), api -> api);
    }

    private static Claim claim(Kind kind) {
        return new Claim(Key.of("job"), kind, 1, 1300, true);
    }

    static Stream<Kind> kinds() {
        return Stream.of(Kind.values());
    }

    private void put(String name, long flags, byte[] value) {
        KvEntry unused = site.consul().put(PLACE + name, flags, value);
    }

    /** Leaves more tickets than one transaction deletes. */
    private void leaveTickets() {
        for (int i = 0; i < 70; i++) {
            put(
                    ".wait/gone-1-" + i,
                    0,
                    "{\"gw\":\"gone-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0}".getBytes(UTF_8));
        }
    }

    private List<String> names() {
        return site.consul().tree(PLACE).stream()
                .map(each -> each.key().substring(PLACE.length()))
                .toList();
    }

    private boolean anyOfDeadGateways() {
        return names().stream().anyMatch(each -> each.startsWith(".wait/gone-1") || each.equals(SESSION));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theHolderDeletesThem(Kind kind) {
        Had had = gateway().hold(claim(kind));
        leaveTickets();
        put(
                SESSION,
                Flags.SEMAPHORE,
                HolderMark.of("gone-1", "n", 1, 30_000, false).toBytes());
        Polling.until("what dead gateways left is deleted", () -> !anyOfDeadGateways());
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theHeadDeletesThem() {
        Claim claim = claim(Kind.LOCK);
        Had had = gateway().hold(claim);
        Queued waiter = gateway().queue(claim);
        leaveTickets();
        Polling.until("what dead gateways left is deleted", () -> !anyOfDeadGateways());
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Entries of other software and of later versions stay. */
    @Test
    void nothingElseIsDeleted() {
        Had had = gateway().hold(claim(Kind.SEMAPHORE));
        put("config", 7, "x".getBytes(UTF_8));
        put(FOREIGN_SESSION, Flags.SEMAPHORE, new byte[0]);
        put(".wait/later", 0, "{\"v\":99,\"gw\":\"later-1\"}".getBytes(UTF_8));
        put(".wait/notes", 0, "x".getBytes(UTF_8));
        leaveTickets();
        Polling.until("what dead gateways left is deleted", () -> !anyOfDeadGateways());
        assertThat(names()).contains("config", FOREIGN_SESSION, ".wait/later", ".wait/notes");
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
