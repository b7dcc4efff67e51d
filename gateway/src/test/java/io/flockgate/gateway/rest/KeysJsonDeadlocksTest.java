package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeysJsonDeadlocksTest {
    private static Deadlock ring(int clients) {
        return new Deadlock(IntStream.range(0, clients)
                .mapToObj(i -> {
                    ClientView client = new ClientView(1 + i, ClientDescription.UNKNOWN, "gate-1", "");
                    return new Link(
                            Key.of("k" + i),
                            new HolderView(client, 1 + i, Age.exact(5, 0), 7),
                            Key.of("k" + (i + 1) % clients),
                            new WaiterView(client, "w" + i, Age.exact(3, 0)));
                })
                .toList());
    }

    private static String text(List<Deadlock> deadlocks) {
        return new String(KeysJson.deadlocks(new Found(deadlocks, true)).body(), UTF_8);
    }

    @Test
    void noDeadlockIsAnEmptyList() {
        assertThat(text(List.of())).isEqualTo("{\"count\":0,\"complete\":true,\"deadlocks\":[]}\n");
    }

    @Test
    void onlyTheFirstClientsOfADeadlockAreShown() {
        JsonArray found = new JsonObject(text(List.of(ring(3), ring(250), ring(2)))).getJsonArray("deadlocks");
        assertThat(IntStream.range(0, 3).mapToObj(found::getJsonObject))
                .extracting(
                        each -> each.getInteger("client_count"),
                        each -> each.getJsonArray("clients").size())
                .containsExactly(tuple(3, 3), tuple(250, 100), tuple(2, 2));
    }

    @Test
    void onlyTheFirstDeadlocksAreShown() {
        JsonObject document = new JsonObject(text(Collections.nCopies(150, ring(2))));
        assertThat(document.getInteger("count")).isEqualTo(150);
        assertThat(document.getJsonArray("deadlocks")).hasSize(100);
    }
}
