package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.WaitCounts;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeysJsonDetailTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String DEPLOY =
            "{\"key\":\"deploy\",\"kind\":\"lock\",\"limit\":1,\"holder_count\":%d,\"waiter_count\":%d,";

    private static final long NOW = Instant.parse("2026-03-01T12:00:30Z").getEpochSecond();

    private static ClientView client(long id) {
        return new ClientView(id, ClientDescription.UNKNOWN, null, "");
    }

    private static HolderView holder(long id, long fence) {
        return new HolderView(client(id), fence, Age.exact(id * SECOND, NOW - id), SECOND / 2);
    }

    private static String text(KeyDetail key) {
        return new String(KeysJson.key(key).body(), UTF_8).strip();
    }

    private static String document(List<HolderView> holders, List<WaiterView> waiters) {
        KeySummary summary = KeySummaries.of(
                Key.of("deploy"), Kind.LOCK, 1, holders.size(), waiters.size(), 1, SECOND, SECOND, SECOND);
        return text(new KeyDetail(summary, holders, false, waiters, WaitCounts.NONE));
    }

    private static List<HolderView> holders(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> holder(i, i)).toList();
    }

    private static List<WaiterView> waiters(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> new WaiterView(client(i), "w" + i, Age.exact(i * SECOND, NOW - i)))
                .toList();
    }

    @Test
    void aKeyThatNobodyHasOrWantsHasTwoEmptyLists() {
        assertThat(document(List.of(), List.of())).isEqualTo(DEPLOY.formatted(0, 0) + "\"holders\":[],\"queue\":[]}");
    }

    @Test
    void holdersAndWaitersTellWhoTheyAreAndHowLong() {
        ClientView session = new ClientView(
                42, new ClientDescription(Via.SESSION, "ci-7", "192.0.2.7:51044", "ci"), "gate-1", "gate-1-0");
        ClientView connection = new ClientView(
                43, new ClientDescription(Via.CONNECTION, null, "[2001:db8::7]:1"), "gate-1", "gate-1-0");
        assertThat(document(
                        List.of(new HolderView(
                                session, 0x18a6c3f2b91d4007L, Age.exact(29 * SECOND / 2, NOW - 14), 37 * SECOND / 2)),
                        List.of(new WaiterView(connection, "41f0", Age.exact(SECOND / 4, NOW)))))
                .isEqualTo(DEPLOY.formatted(1, 1)
                        + "\"holders\":[{\"conn_id\":42,\"via\":\"session\",\"address\":\"192.0.2.7:51044\","
                        + "\"name\":\"ci-7\",\"token_name\":\"ci\",\"gateway\":\"gate-1\",\"held_s\":14.5,\"since\":\"2026-03-01T12:00:16Z\","
                        + "\"lease_expires_in_s\":18.5,\"fence\":\"18a6c3f2b91d4007\"}],"
                        + "\"queue\":[{\"position\":1,\"id\":\"41f0\",\"conn_id\":43,\"via\":\"connection\","
                        + "\"address\":\"[2001:db8::7]:1\",\"gateway\":\"gate-1\","
                        + "\"waiting_s\":0.25,\"since\":\"2026-03-01T12:00:30Z\"}]}");
    }

    @Test
    void timesOfOtherGatewaysClientsAreBoundsWithTheirOwnBeginning() {
        ClientView other = new ClientView(7, new ClientDescription(Via.SESSION, "<ci>", null), "gate-2", "gate-2-0");
        assertThat(document(
                        List.of(new HolderView(other, 1, Age.atLeast(SECOND, NOW - 60), 0)),
                        List.of(new WaiterView(ClientView.UNKNOWN, "9", Age.atLeast(0, 0)))))
                .contains("{\"conn_id\":7,\"via\":\"session\",\"name\":\"\\u003cci\\u003e\",\"gateway\":\"gate-2\","
                        + "\"held_s\":1,\"bounds\":true,\"since\":\"2026-03-01T11:59:30Z\",")
                .contains(
                        "{\"position\":1,\"id\":\"9\",\"conn_id\":0,\"via\":\"other\",\"waiting_s\":0,\"bounds\":true}");
    }

    @Test
    void fencesAreUnsignedAndHaveAllTheirDigits() {
        assertThat(document(List.of(holder(1, -1), holder(1, 1)), List.of()))
                .contains("\"fence\":\"ffffffffffffffff\"")
                .contains("\"fence\":\"0000000000000001\"");
    }

    @Test
    void theWaitsOfAllWaitersAreCounted() {
        KeySummary summary = KeySummaries.of(Key.of("deploy"), Kind.LOCK, 1, 2, 1500, 1, SECOND, SECOND, SECOND);
        WaitCounts waits = new WaitCounts(List.of(0, 1, 0, 1499, 0, 0));
        KeyDetail page = new KeyDetail(summary, holders(2), false, waiters(1), waits);
        assertThat(text(page))
                .contains(
                        "\"waiter_count\":1500,\"waits\":[{\"below_s\":1,\"waiters\":0},{\"below_s\":10,\"waiters\":1},"
                                + "{\"below_s\":60,\"waiters\":0},{\"below_s\":600,\"waiters\":1499},"
                                + "{\"below_s\":3600,\"waiters\":0},{\"waiters\":0}],\"holders\":[");
    }

    @Test
    void aPageOfManySaysHowManyThereAreAndWhereTheNextBegins() {
        KeySummary summary = KeySummaries.of(Key.of("deploy"), Kind.LOCK, 1, 7, 8, 1, SECOND, SECOND, SECOND);
        KeyDetail page = new KeyDetail(summary, holders(2), true, waiters(1), WaitCounts.NONE);
        assertThat(text(page)).startsWith(DEPLOY.formatted(7, 8)).endsWith("}],\"next\":\"0000000000000002\"}");
    }

    @Test
    void allHoldersAndWaitersOfThePageFollowInTheirOrder() {
        JsonObject document = new JsonObject(document(holders(1000), waiters(1000)));
        assertThat(document.getJsonArray("holders")).hasSize(1000);
        assertThat(document.getJsonArray("queue")).hasSize(1000);
        for (int i = 0; i < 1000; i++) {
            JsonObject waiter = document.getJsonArray("queue").getJsonObject(i);
            assertThat(waiter.getInteger("position")).isEqualTo(i + 1);
            assertThat(waiter.getInteger("conn_id")).isEqualTo(i + 1);
        }
    }
}
