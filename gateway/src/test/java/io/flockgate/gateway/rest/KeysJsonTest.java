package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flockgate.gateway.deadlock.Deadlocks.Deadlock;
import io.flockgate.gateway.deadlock.Deadlocks.Found;
import io.flockgate.gateway.deadlock.Deadlocks.Link;
import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.WaitCounts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The answers about one key, about lists of keys and about deadlocks. */
class KeysJsonTest {
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

    static Key key(String latin1) {
        byte[] bytes = latin1.getBytes(ISO_8859_1);
        return requireNonNull(Key.copyOf(bytes, 0, bytes.length));
    }

    private static KeySummary summary(Key key, Kind kind, int holders, int waiters) {
        long limit = kind == Kind.LOCK ? 1 : 5;
        ClientView holder = new ClientView(
                7, new ClientDescription(Via.SESSION, "ci-7", "192.0.2.7:51044", null), "gate-1", "gate-1-0");
        HolderView oldest = holders == 0 ? null : new HolderView(holder, 1, Age.exact(29 * SECOND / 2, 0), SECOND);
        return new KeySummary(key, kind, limit, holders, waiters, oldest, 29 * SECOND / 4, waiters * SECOND);
    }

    private static String page(KeySummary... keys) {
        return new String(
                KeysJson.list(new KeyScan.Listing(new KeyPage(List.of(keys), null), -1))
                        .body(),
                UTF_8);
    }

    @Test
    void aHeldKeyTellsHowLongAndAnIdleOneHowLongItHasBeenSo() {
        assertThat(page(
                        summary(key("deploy"), Kind.LOCK, 1, 2),
                        summary(key("pool"), Kind.SEMAPHORE, 0, 0),
                        summary(key("wanted"), Kind.SEMAPHORE, 0, 1)))
                .isEqualTo("{\"keys\":["
                        + "{\"key\":\"deploy\",\"kind\":\"lock\",\"limit\":1,\"holders\":1,\"waiters\":2,"
                        + "\"oldest_hold_s\":14.5,\"holder\":{\"conn_id\":7,\"via\":\"session\","
                        + "\"address\":\"192.0.2.7:51044\",\"name\":\"ci-7\",\"gateway\":\"gate-1\"},\"longest_wait_s\":2},"
                        + "{\"key\":\"pool\",\"kind\":\"semaphore\",\"limit\":5,\"holders\":0,\"waiters\":0,"
                        + "\"idle_s\":7.25},"
                        + "{\"key\":\"wanted\",\"kind\":\"semaphore\",\"limit\":5,\"holders\":0,\"waiters\":1,\"longest_wait_s\":1}"
                        + "]}\n");
    }

    @Test
    void theHoldOfAnotherGatewaysClientIsABound() {
        HolderView bound = new HolderView(ClientView.UNKNOWN, 1, Age.atLeast(SECOND, 0), SECOND);
        assertThat(page(new KeySummary(key("k"), Kind.LOCK, 1, 1, 0, bound, 0, 0)))
                .contains("\"oldest_hold_s\":1,\"bounds\":true,\"holder\":{\"conn_id\":0,\"via\":\"other\"}}");
    }

    @Test
    void aKeyThatIsNotUtf8IsAlsoGivenByItsBytes() {
        assertThat(page(summary(key("a/\u00ff"), Kind.LOCK, 0, 1)))
                .startsWith("{\"keys\":[{\"key\":\"a/\\ufffd\",\"key_escaped\":\"a%2F%FF\",\"kind\":\"lock\"");
        assertThat(page(summary(Key.of("\u00e4<\"\ud83d\ude00"), Kind.LOCK, 0, 1)))
                .startsWith("{\"keys\":[{\"key\":\"\u00e4\\u003c\\\"\ud83d\ude00\",\"kind\":\"lock\"");
    }

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
