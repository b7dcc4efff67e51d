package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.KeySummary.OldestGrant;
import io.flockgate.storage.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeysJsonTest {
    private static final long SECOND = 1_000_000_000L;

    static Key key(String latin1) {
        byte[] bytes = latin1.getBytes(ISO_8859_1);
        return requireNonNull(Key.copyOf(bytes, 0, bytes.length));
    }

    private static KeySummary summary(Key key, Kind kind, int holders, int waiters) {
        long limit = kind == Kind.LOCK ? 1 : 5;
        long held = holders > 0 ? 29 * SECOND / 2 : 0;
        ClientView holder = new ClientView(
                7, new ClientDescription(Via.SESSION, "ci-7", "192.0.2.7:51044", null), "gate-1", "gate-1-0");
        OldestGrant oldest = new OldestGrant(holder, held, true, SECOND);
        return new KeySummary(key, kind, limit, holders, waiters, oldest, 29 * SECOND / 4, waiters * SECOND);
    }

    private static String page(KeySummary... keys) {
        return new String(
                KeysJson.list(new KeyScan.Listing(new KeyPage(List.of(keys), null), -1))
                        .body(),
                UTF_8);
    }

    @Test
    void aPageWithoutKeysIsAnEmptyList() {
        assertThat(page()).isEqualTo("{\"keys\":[]}\n");
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
        OldestGrant bound = new OldestGrant(ClientView.UNKNOWN, SECOND, false, SECOND);
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
}
