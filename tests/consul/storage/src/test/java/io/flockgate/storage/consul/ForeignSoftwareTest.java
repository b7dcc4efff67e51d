package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.MUTEX;
import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Other software that writes a key, or holds or waits for its slots, in Consul's own formats. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ForeignSoftwareTest {
    private static final Key JOB = Key.of("job");
    private static final Claim ONE = semaphore("job", 1);
    private static final Claim TWO = semaphore("job", 2);

    private final RealSite site = new RealSite();
    private final Operator operator = site.operator();
    private final String prefix = site.base() + "job/";
    private final String document = prefix + ".lock";
    private final String foreign = operator.session();

    @AfterEach
    void close() {
        operator.destroySession(foreign);
        site.close();
    }

    static Stream<Arguments> spoilt() {
        return Stream.of(
                Arguments.of(SEMAPHORE, "{\"Limit\":2,\"Holders\":null}"),
                Arguments.of(SEMAPHORE, "[".repeat(100_000)),
                Arguments.of("0", "not JSON"),
                Arguments.of("18446744073709551615", "{\"Limit\":2,\"Holders\":{}}"));
    }

    @ParameterizedTest
    @MethodSource("spoilt")
    void whatIsNeitherLockNorSemaphoreIsRefusedAndLeftAlone(String flags, String value) {
        operator.put(document, flags, value);
        Entry before = operator.get(document);
        Gateway gateway = site.gateway(Map.of(), Duration.ofMillis(200), api -> api);
        Had other = gateway.hold(lock("other"));
        assertThat(Await.result(gateway.ask(TWO))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(Await.result(gateway.ask(lock("job")))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(gateway.tryOnce(TWO)).isEqualTo(Refusal.KIND_MISMATCH);
        Token token = new Token(before.modifyIndex(), 1);
        assertThat(Await.result(gateway.storage().release(JOB, token))).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(Await.result(gateway.storage().renew(JOB, token, 30))).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(Await.result(gateway.storage().inspect(KeyDetailQuery.first(JOB, 10))))
                .isEmpty();
        assertThat(Await.result(gateway.storage().inspect(KeyQuery.all(100))).keys())
                .extracting(KeySummary::key)
                .containsExactly(Key.of("other"));
        // Any key forgotten now has been idle for a shorter time.
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "a later key is forgotten",
                () -> operator.list(site.base() + "other/").isEmpty());
        gateway.awaitRest(0);
        assertThat(operator.list(prefix)).containsExactly(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"limit\":2,\"holders\":{\"dead\":true,\"gone\":false}} | {\"Limit\":2,\"Holders\":{\"H\":true}}",
                "{\"Owner\":\"db\",\"Holders\":[\"dead\"],\"Limit\":2} | {\"Limit\":2,\"Holders\":[\"H\"],\"Owner\":\"db\"}",
            })
    void aGoodDocumentKeepsItsFormAndTheFieldsOfOthers(String before, String held) {
        operator.put(document, SEMAPHORE, before);
        Had grant = site.gateway().hold(TWO);
        String session = contender().key().substring(prefix.length());
        assertThat(value()).isEqualTo(held.replace("\"H\"", "\"" + session + "\""));
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(value()).isEqualTo(held.replace("\"H\":true", "").replace("\"H\"", ""));
        assertThat(operator.list(prefix)).hasSize(1);
    }

    private String value() {
        return operator.get(document).value();
    }

    /** The key of a gateway's slot. */
    private Entry contender() {
        return operator.list(prefix).stream()
                .filter(each -> each.session() != null
                        && !each.key().endsWith(foreign)
                        && !each.key().contains("/.wait/"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aWaiterOutlivesASpoiltDocument() {
        Gateway gateway = site.gateway();
        Had first = gateway.hold(ONE);
        Queued second = gateway.queue(ONE);
        String good = value();
        operator.put(document, SEMAPHORE, "spoilt");
        first.awaitEnd();
        gateway.awaitRead("job");
        assertThat(second.granted()).isFalse();
        assertThat(value()).isEqualTo("spoilt");
        operator.put(document, SEMAPHORE, good.replaceAll("\\[.*]", "[]"));
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private void foreignSessionContends() {
        assertThat(operator.acquire(prefix + foreign, SEMAPHORE, foreign)).isTrue();
    }

    private void foreignSessionHolds(int limit) {
        foreignSessionContends();
        operator.put(document, SEMAPHORE, "{\"Limit\":" + limit + ",\"Holders\":{\"" + foreign + "\":true}}");
    }

    /** Releases as Consul's own tools do. */
    private void foreignSessionReleases() {
        Entry read;
        do {
            read = operator.get(document);
        } while (!operator.cas(read, read.value().replace("\"" + foreign + "\":true", "")));
        operator.delete(prefix + foreign);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWaiterGetsTheSlotOfAForeignHolder(boolean dies) {
        foreignSessionHolds(1);
        Gateway gateway = site.gateway();
        Queued waiter = gateway.queue(ONE);
        gateway.awaitRead("job");
        assertThat(waiter.granted()).isFalse();
        if (dies) {
            operator.destroySession(foreign);
        } else {
            foreignSessionReleases();
        }
        Had grant = waiter.awaitGrant();
        assertThat(value()).doesNotContain(foreign);
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aWaiterGetsTheLockThatAForeignHolderReleases() {
        assertThat(operator.acquire(document, MUTEX, foreign)).isTrue();
        Gateway gateway = site.gateway();
        assertThat(Await.result(gateway.ask(ONE))).isEqualTo(Refusal.KIND_MISMATCH);
        Queued waiter = gateway.queue(lock("job"));
        gateway.awaitRead("job");
        assertThat(waiter.granted()).isFalse();
        operator.release(document, MUTEX, foreign);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theSlotsOfOthersCountAndAreFreedByNoTidying() {
        foreignSessionHolds(2);
        Gateway gateway = site.gateway();
        Had own = gateway.hold(TWO);
        assertThat(gateway.tryOnce(TWO)).isEqualTo(Refusal.BUSY);
        Queued waiter = gateway.queue(TWO);
        for (int i = 0; i < 3; i++) {
            gateway.jump(Duration.ofSeconds(2));
            operator.put(prefix + "stir", "0", String.valueOf(i));
            gateway.awaitRead("job");
        }
        assertThat(waiter.granted()).isFalse();
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(value()).isEqualTo("{\"Limit\":2,\"Holders\":{\"" + foreign + "\":true}}");
        assertThat(operator.find(prefix + foreign)).isPresent();
    }

    @Test
    void anOperatorFreesASlotOfOthersByForceOnlyAndItsSessionLives() {
        foreignSessionHolds(1);
        Gateway gateway = site.gateway();
        Queued waiter = gateway.queue(ONE);
        assertThat(evict(gateway, false)).isEqualTo(EvictOutcome.FOREIGN);
        assertThat(evict(gateway, true)).isEqualTo(EvictOutcome.EVICTED);
        Had next = waiter.awaitGrant();
        assertThat(value()).doesNotContain(foreign);
        assertThat(operator.find(prefix + foreign)).isEmpty();
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        foreignSessionContends();
    }

    private static EvictOutcome evict(Gateway gateway, boolean force) {
        long fence = Await.result(gateway.storage().inspect(KeyDetailQuery.first(JOB, 10)))
                .orElseThrow()
                .holders()
                .getFirst()
                .fence();
        return Await.result(gateway.storage().evict(JOB, fence, force));
    }

    /** A process that was refused or has died leaves its key until its session ends. */
    @Test
    void aGhostHoldsNoSlotAndStaysWhereItIs() {
        foreignSessionContends();
        Gateway gateway = site.gateway();
        Had first = gateway.hold(ONE);
        Queued second = gateway.queue(ONE);
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.find(prefix + foreign)).isPresent();
    }

    /**
     * With a full queue here, the slot would otherwise pass from holder to holder and never be
     * free.
     */
    @Test
    void aForeignContenderFindsTheSlotFreeBetweenTwoLocalHolders() {
        Gateway gateway = site.gateway();
        Had first = gateway.hold(ONE);
        Queued second = gateway.queue(ONE);
        foreignSessionContends();
        gateway.awaitRead("job");
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = second.awaitGrant();
        // Two writes: the release left the slot free, and the grant came after it.
        assertThat(next.grant().fence()).isEqualTo(contender().modifyIndex());
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
