package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.MUTEX;
import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys whose {@code .lock} other software has written. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ForeignDocumentTest {
    private final Site site = new Site();
    private final Operator operator = site.operator();
    private final String document = site.base() + "job/.lock";

    @AfterEach
    void close() {
        site.close();
    }

    static Stream<Arguments> spoilt() {
        return Stream.of(
                Arguments.of(SEMAPHORE, "{\"Limit\":2,\"Holders\":null}"),
                Arguments.of(SEMAPHORE, "{\"Limit\":2}"),
                Arguments.of(SEMAPHORE, "{\"Limit\":2,\"Holders\":[1,2]}"),
                Arguments.of(SEMAPHORE, "null"),
                Arguments.of(SEMAPHORE, "not JSON"),
                Arguments.of(SEMAPHORE, "{\"a\":".repeat(60_000)),
                Arguments.of(SEMAPHORE, "[".repeat(100_000)),
                Arguments.of(SEMAPHORE, "x".repeat(500_000)),
                Arguments.of("0", "not JSON"),
                Arguments.of("0", ""),
                Arguments.of("42", "{\"Limit\":2,\"Holders\":{}}"),
                Arguments.of("18446744073709551615", "{\"Limit\":2,\"Holders\":{}}"));
    }

    @ParameterizedTest
    @MethodSource("spoilt")
    void whatIsNeitherLockNorSemaphoreIsRefusedAndLeftAlone(String flags, String value) {
        operator.put(document, flags, value);
        Entry before = operator.get(document);
        LockStorage gateway = site.gateway(Map.of(), Duration.ofMillis(200));
        Held other = site.hold(gateway, lock("other"));
        assertThat(site.claim(gateway, semaphore("job", 2))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(site.claim(gateway, lock("job"))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(site.tryOnce(gateway, semaphore("job", 2))).isEqualTo(Refusal.KIND_MISMATCH);
        Token token = new Token(before.modifyIndex(), 1);
        assertThat(Await.result(gateway.release(Key.of("job"), token))).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(Await.result(gateway.renew(Key.of("job"), token, 30))).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(Await.result(gateway.inspect(KeyDetailQuery.first(Key.of("job"), 10))))
                .isEmpty();
        assertThat(names(gateway)).containsExactly("other");
        // Any key forgotten now has been idle for a shorter time.
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "a later key is forgotten",
                () -> operator.list(site.base() + "other/").isEmpty());
        site.awaitRest(gateway);
        assertThat(operator.list(site.base() + "job/")).containsExactly(before);
    }

    private static List<String> names(LockStorage gateway) {
        return Await.result(gateway.inspect(new KeyQuery(new byte[0], null, 100))).keys().stream()
                .map(KeySummary::key)
                .map(Key::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"Limit\":2,\"Holders\":[]} | {\"Limit\":2,\"Holders\":[\"H\"]}",
                "{\"Limit\":2,\"Holders\":{}} | {\"Limit\":2,\"Holders\":{\"H\":true}}",
                "{\"limit\":2,\"holders\":{}} | {\"Limit\":2,\"Holders\":{\"H\":true}}",
                "{\"Limit\":2,\"Holders\":[\"dead\"]} | {\"Limit\":2,\"Holders\":[\"H\"]}",
                "{\"Limit\":2,\"Holders\":{\"dead\":true,\"gone\":false,\"x\":1}} | {\"Limit\":2,\"Holders\":{\"H\":true}}",
                "{\"Owner\":\"db\",\"Holders\":[],\"Limit\":2} | {\"Limit\":2,\"Holders\":[\"H\"],\"Owner\":\"db\"}",
            })
    void aGoodDocumentKeepsItsFormAndTheFieldsOfOthers(String before, String held) {
        operator.put(document, SEMAPHORE, before);
        LockStorage gateway = site.gateway();
        Held grant = site.hold(gateway, semaphore("job", 2));
        String session = contender();
        assertThat(operator.get(document).value())
                .isEqualTo(held.replace("H", session).replace(session + "olders", "Holders"));
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.get(document).value())
                .isEqualTo(held.replace("\"H\":true", "").replace("\"H\"", ""));
        assertThat(operator.list(site.base() + "job/")).hasSize(1);
    }

    private String contender() {
        return operator.list(site.base() + "job/").stream()
                .filter(each -> each.session() != null)
                .map(each -> each.key().substring((site.base() + "job/").length()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anotherLimitIsRefusedAndLeftAloneWhileInUse() {
        String session = operator.session();
        assertThat(operator.acquire(site.base() + "job/" + session, SEMAPHORE, session))
                .isTrue();
        operator.put(document, SEMAPHORE, "{\"Limit\":3,\"Holders\":{}}");
        Entry before = operator.get(document);
        LockStorage gateway = site.gateway();
        assertThat(site.claim(gateway, semaphore("job", 2))).isEqualTo(Refusal.LIMIT_MISMATCH);
        assertThat(site.claim(gateway, lock("job"))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(operator.get(document)).isEqualTo(before);

        operator.destroySession(session);
        Held held = site.hold(gateway, semaphore("job", 2));
        assertThat(operator.get(document).value()).startsWith("{\"Limit\":2,\"Holders\":{\"");
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aLockOfOthersIsNoSemaphore() {
        String session = operator.session();
        assertThat(operator.acquire(document, MUTEX, session)).isTrue();
        Entry before = operator.get(document);
        LockStorage gateway = site.gateway();
        assertThat(site.claim(gateway, semaphore("job", 1))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(site.tryOnce(gateway, lock("job"))).isEqualTo(Refusal.BUSY);
        assertThat(operator.get(document)).isEqualTo(before);
        operator.destroySession(session);
    }

    @Test
    void flagsOfZeroAreTakenForASemaphoreIfTheDocumentIsGood() {
        operator.put(document, "0", "{\"Limit\":2,\"Holders\":[]}");
        LockStorage gateway = site.gateway();
        Held grant = site.hold(gateway, semaphore("job", 2));
        assertThat(operator.get(document).flags()).isEqualTo(SEMAPHORE);
        operator.put(document, "0", operator.get(document).value());
        assertThat(grant.renew()).isEqualTo(RenewOutcome.RENEWED);
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void anEmptyValueIsNoSemaphoreYet() {
        operator.put(document, SEMAPHORE, "");
        LockStorage gateway = site.gateway(Map.of("consul-holders", "map"));
        Held grant = site.hold(gateway, semaphore("job", 5));
        assertThat(operator.get(document).value())
                .isEqualTo("{\"Limit\":5,\"Holders\":{\"" + contender() + "\":true}}");
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * To Consul's own tools, an emptied semaphore is still a semaphore's key, which their lock
     * refuses.
     */
    @Test
    void anEmptiedSemaphoreDoesNotBecomeALock() {
        operator.put(document, SEMAPHORE, "");
        LockStorage gateway = site.gateway();
        assertThat(site.tryOnce(gateway, lock("job"))).isEqualTo(Refusal.KIND_MISMATCH);
    }

    @Test
    void aWaiterOutlivesASpoiltDocument() {
        LockStorage gateway = site.gateway();
        Held first = site.hold(gateway, semaphore("job", 1));
        Waiting second = site.queue(gateway, semaphore("job", 1));
        String good = operator.get(document).value();
        operator.put(document, SEMAPHORE, "spoilt");
        first.awaitEnd();
        site.awaitRead(gateway, "job");
        assertThat(second.granted()).isFalse();
        assertThat(operator.get(document).value()).isEqualTo("spoilt");
        operator.put(document, SEMAPHORE, good.replaceAll("\\[.*]", "[]"));
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void whatStandsBelowTheBaseButIsNoKeyDoesNoHarm() {
        operator.put(site.base() + ".fleetlock/default", "7", "[1,2");
        operator.put(site.base() + "loose", "0", "x");
        operator.put(site.base() + ",zz/.lock", SEMAPHORE, "{\"Limit\":2,\"Holders\":{}}");
        operator.put(site.base() + "job/extra/deep/.lock", "0", "x");
        LockStorage gateway = site.gateway(Map.of(), Duration.ofMillis(200));
        List<Entry> before = operator.list(site.base());
        Held grant = site.hold(gateway, semaphore("job", 1));
        assertThat(names(gateway)).containsExactly("job");
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("the idle key is forgotten", () -> operator.find(document).isEmpty());
        assertThat(operator.list(site.base())).containsExactlyElementsOf(before);
    }

    @Test
    void viewsShowWhatOthersHold() {
        String session = operator.session();
        operator.put(document, SEMAPHORE, "{\"Limit\":2,\"Holders\":{\"" + session + "\":true,\"dead\":true}}");
        operator.acquire(site.base() + "job/" + session, SEMAPHORE, session);
        LockStorage gateway = site.gateway();
        KeySummary summary = Await.result(gateway.inspect(KeyDetailQuery.first(Key.of("job"), 10)))
                .orElseThrow()
                .summary();
        assertThat(summary.kind()).isEqualTo(Kind.SEMAPHORE);
        assertThat(summary.limit()).isEqualTo(2);
        assertThat(summary.holders()).isEqualTo(1);
        operator.destroySession(session);
    }
}
