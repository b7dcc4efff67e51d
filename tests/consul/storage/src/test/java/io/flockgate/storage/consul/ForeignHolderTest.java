package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.MUTEX;
import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Other software that holds or waits for slots in Consul's own formats. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ForeignHolderTest {
    private final Site site = new Site();
    private final Operator operator = site.operator();
    private final String prefix = site.base() + "job/";
    private final String foreignSession = operator.session();

    @AfterEach
    void close() {
        operator.destroySession(foreignSession);
        site.close();
    }

    private void foreignSessionHolds(int limit) {
        assertThat(operator.acquire(prefix + foreignSession, SEMAPHORE, foreignSession))
                .isTrue();
        operator.put(
                prefix + ".lock", SEMAPHORE, "{\"Limit\":" + limit + ",\"Holders\":{\"" + foreignSession + "\":true}}");
    }

    /** Releases as Consul's own tools do. */
    private void foreignSessionReleases() {
        Entry document;
        do {
            document = operator.get(prefix + ".lock");
        } while (!operator.cas(
                document,
                document.value()
                        .replace("\"" + foreignSession + "\":true,", "")
                        .replace("\"" + foreignSession + "\":true", "")));
        operator.delete(prefix + foreignSession);
    }

    @Test
    void aForeignHolderCountsAgainstTheLimit() {
        foreignSessionHolds(2);
        LockStorage gateway = site.gateway();
        Held own = site.hold(gateway, semaphore("job", 2));
        assertThat(operator.get(prefix + ".lock").value()).contains("\"" + foreignSession + "\":true");
        assertThat(site.tryOnce(gateway, semaphore("job", 2))).isEqualTo(Refusal.BUSY);
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.get(prefix + ".lock").value())
                .isEqualTo("{\"Limit\":2,\"Holders\":{\"" + foreignSession + "\":true}}");
        assertThat(operator.find(prefix + foreignSession)).isPresent();
    }

    @Test
    void aWaiterGetsTheSlotThatAForeignHolderReleases() {
        foreignSessionHolds(1);
        LockStorage gateway = site.gateway();
        Waiting waiter = site.queue(gateway, semaphore("job", 1));
        site.awaitRead(gateway, "job");
        assertThat(waiter.granted()).isFalse();
        foreignSessionReleases();
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aWaiterGetsTheSlotOfAForeignHolderThatDies() {
        foreignSessionHolds(1);
        Waiting waiter = site.queue(site.gateway(), semaphore("job", 1));
        operator.destroySession(foreignSession);
        Held grant = waiter.awaitGrant();
        assertThat(operator.get(prefix + ".lock").value()).doesNotContain(foreignSession);
        assertThat(grant.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aWaiterGetsTheLockThatAForeignHolderReleases() {
        assertThat(operator.acquire(prefix + ".lock", MUTEX, foreignSession)).isTrue();
        LockStorage gateway = site.gateway();
        Waiting waiter = site.queue(gateway, lock("job"));
        site.awaitRead(gateway, "job");
        assertThat(waiter.granted()).isFalse();
        operator.release(prefix + ".lock", MUTEX, foreignSession);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theSlotsOfOthersAreFreedByNoTokenAndNoTidying() {
        foreignSessionHolds(2);
        LockStorage gateway = site.gateway();
        Held own = site.hold(gateway, semaphore("job", 2));
        Waiting waiter = site.queue(gateway, semaphore("job", 2));
        for (int i = 0; i < 3; i++) {
            site.jump(Duration.ofSeconds(2));
            operator.put(prefix + "stir", "0", String.valueOf(i));
            site.awaitRead(gateway, "job");
        }
        assertThat(waiter.granted()).isFalse();
        assertThat(operator.get(prefix + ".lock").value()).contains(foreignSession);
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.get(prefix + ".lock").value()).contains(foreignSession);
    }

    /** A process that was refused or has died leaves its key until its session ends. */
    @Test
    void aGhostHoldsNoSlotAndStaysWhereItIs() {
        assertThat(operator.acquire(prefix + foreignSession, SEMAPHORE, foreignSession))
                .isTrue();
        LockStorage gateway = site.gateway();
        Held first = site.hold(gateway, semaphore("job", 1));
        Waiting second = site.queue(gateway, semaphore("job", 1));
        Waiting third = site.queue(gateway, semaphore("job", 1));
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(operator.find(prefix + foreignSession)).isPresent();
    }

    /**
     * With a full queue here, the slot would otherwise pass from holder to holder and never be
     * free.
     */
    @Test
    void aForeignContenderFindsTheSlotFreeBetweenTwoLocalHolders() {
        LockStorage gateway = site.gateway();
        Held first = site.hold(gateway, semaphore("job", 1));
        Waiting second = site.queue(gateway, semaphore("job", 1));
        assertThat(operator.acquire(prefix + foreignSession, SEMAPHORE, foreignSession))
                .isTrue();
        site.awaitRead(gateway, "job");
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Held next = second.awaitGrant();
        Entry contender = operator.list(prefix).stream()
                .filter(each -> each.session() != null
                        && !each.key().endsWith(foreignSession)
                        && !each.key().contains("/.wait/"))
                .findFirst()
                .orElseThrow();
        // Two writes: the release left the slot free, and the grant came after it.
        assertThat(next.grant().fence()).isEqualTo(contender.modifyIndex());
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aLimitThatOthersHaveSetAndFilledIsNeverExceeded() {
        foreignSessionHolds(1);
        LockStorage gateway = site.gateway(Map.of("consul-holders", "map"));
        for (int i = 0; i < 20; i++) {
            assertThat(site.tryOnce(gateway, semaphore("job", 1))).isEqualTo(Refusal.BUSY);
        }
        assertThat(operator.get(prefix + ".lock").value())
                .isEqualTo("{\"Limit\":1,\"Holders\":{\"" + foreignSession + "\":true}}");
    }

    @Test
    void aHolderThatIsMarkedFalseCountsAsConsulsOwnToolsCount() {
        assertThat(operator.acquire(prefix + foreignSession, SEMAPHORE, foreignSession))
                .isTrue();
        operator.put(prefix + ".lock", SEMAPHORE, "{\"Limit\":1,\"Holders\":{\"" + foreignSession + "\":false}}");
        assertThat(site.tryOnce(site.gateway(), semaphore("job", 1))).isEqualTo(Refusal.BUSY);
    }
}
