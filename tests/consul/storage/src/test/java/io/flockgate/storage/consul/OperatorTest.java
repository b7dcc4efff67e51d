package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Operator.MUTEX;
import static io.flockgate.storage.consul.Operator.SEMAPHORE;
import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.Operator.Entry;
import io.flockgate.storage.consul.Site.Held;
import io.flockgate.storage.consul.Site.Waiting;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An operator manually deletes, resets or removes entries that gateways have written: holders are
 * notified, and their successors continue.
 */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class OperatorTest {
    private final Site site = new Site();
    private final Operator operator = site.operator();
    private final String prefix = site.base() + "job/";
    private final LockStorage gateway = site.gateway();
    private final LockStorage other = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    /**
     * Whether the gateway can queue, because it may or may not have noticed yet that its session
     * has ended.
     */
    private boolean sessionIsThere() {
        Held probe;
        try {
            probe = site.acquire(gateway, lock("probe"));
        } catch (AssertionError e) {
            return false;
        }
        return probe.release() == ReleaseOutcome.RELEASED;
    }

    static Stream<Claim> kinds() {
        return Stream.of(lock("job"), semaphore("job", 1));
    }

    /** The keys of holders, not of waiters, that sessions hold. */
    private List<Entry> held() {
        return operator.list(prefix).stream()
                .filter(each -> each.session() != null && !each.key().startsWith(prefix + ".wait/"))
                .toList();
    }

    private void lost(Held holder) {
        assertThat(holder.awaitEnd()).isEqualTo(Ending.LOST);
        assertThat(holder.renew()).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
    }

    /**
     * Accepts either ending, because after a quick successor the state does not distinguish a
     * release from a deletion.
     */
    private void gone(Held holder) {
        assertThat(holder.awaitEnd()).isIn(Ending.LOST, Ending.RELEASED);
        assertThat(holder.renew()).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
    }

    private void goesOn(Waiting waiter) {
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Held next = site.acquire(other, waiter.claim());
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(held()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theLockIsDeleted(Claim claim) {
        Held holder = site.hold(gateway, claim);
        Waiting waiter = site.queue(other, claim);
        operator.delete(prefix + ".lock");
        gone(holder);
        goesOn(waiter);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theLockIsDeletedAndNobodyWaits(Claim claim) {
        Held holder = site.hold(gateway, claim);
        operator.delete(prefix + ".lock");
        lost(holder);
        assertThat(site.hold(gateway, claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(held()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everythingOfTheKeyIsDeleted(Claim claim) {
        Held holder = site.hold(gateway, claim);
        Waiting waiter = site.queue(other, claim);
        operator.deleteTree(prefix);
        gone(holder);
        goesOn(waiter);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theSessionOfTheHolderIsDestroyed(Claim claim) {
        Held holder = site.hold(gateway, claim);
        Waiting waiter = site.queue(other, claim);
        operator.destroySession(Objects.requireNonNull(held().getFirst().session()));
        gone(holder);
        goesOn(waiter);
        Polling.until("a new session", () -> gateway.failureReason().isEmpty() && sessionIsThere());
        assertThat(site.acquire(gateway, claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theDocumentIsReset() {
        Held holder = site.hold(gateway, semaphore("job", 1));
        Waiting waiter = site.queue(other, semaphore("job", 1));
        operator.put(prefix + ".lock", SEMAPHORE, "{\"Limit\":1,\"Holders\":{}}");
        lost(holder);
        goesOn(waiter);
    }

    @Test
    void aHolderIsStruckAndTheOthersKeepTheirSlots() {
        Held first = site.hold(gateway, semaphore("job", 2));
        String session = Objects.requireNonNull(held().getFirst().session());
        Held second = site.hold(gateway, semaphore("job", 2));
        Entry document = operator.get(prefix + ".lock");
        assertThat(operator.cas(document, document.value().replace("\"" + session + "\",", "")))
                .isTrue();
        lost(first);
        assertThat(second.renew()).isEqualTo(RenewOutcome.RENEWED);
        assertThat(second.ending()).isNull();
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("what the struck holder has left is tidied away", () -> held().isEmpty());
    }

    /**
     * Even if the key has not been read since, because a long lease is renewed without a write but
     * not without a read.
     */
    @Test
    void aStrikeEndsRenewalsAtOnce() {
        Held holder = site.hold(gateway, semaphore("job", 1));
        operator.put(prefix + ".lock", SEMAPHORE, "{\"Limit\":1,\"Holders\":[]}");
        assertThat(holder.renew()).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @Test
    void theHoldersOwnKeyIsDeleted() {
        Held holder = site.hold(gateway, semaphore("job", 1));
        Waiting waiter = site.queue(other, semaphore("job", 1));
        operator.delete(held().getFirst().key());
        gone(holder);
        goesOn(waiter);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aTicketIsDeletedAndItsWaiterQueuesAgain(Claim claim) {
        Held holder = site.hold(gateway, claim);
        Waiting waiter = site.queue(other, claim);
        operator.deleteTree(prefix + ".wait/");
        Polling.until("a new ticket", () -> !operator.list(prefix + ".wait/").isEmpty());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(waiter);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theSequenceIsDeletedAndNothingHappens(Claim claim) {
        Held holder = site.hold(gateway, claim);
        Waiting waiter = site.queue(other, claim);
        operator.delete(prefix + ".seq");
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(waiter);
    }

    /**
     * A plain write leaves the session on the key, which is then no client's lock but still held,
     * until the gateway releases it.
     */
    @Test
    void theLockIsOverwrittenWithItsFlags() {
        Held holder = site.hold(gateway, lock("job"));
        Waiting waiter = site.queue(other, lock("job"));
        operator.put(prefix + ".lock", MUTEX, "");
        gone(holder);
        goesOn(waiter);
    }

    /** As the command {@code consul kv put} does, which sets the flags to 0. */
    @Test
    void theLockIsOverwrittenAndThenDeleted() {
        Held holder = site.hold(gateway, lock("job"));
        Waiting waiter = site.queue(other, lock("job"));
        operator.put(prefix + ".lock", "0", "maintenance");
        gone(holder);
        site.awaitRead(other, "job");
        assertThat(waiter.granted()).isFalse();
        assertThat(operator.get(prefix + ".lock").value()).isEqualTo("maintenance");
        operator.delete(prefix + ".lock");
        goesOn(waiter);
    }

    static Stream<Arguments> foreignValues() {
        String document = "{\"Limit\":2,\"Holders\":[]}";
        return Stream.of(
                arguments(semaphore("job", 2), "0", "maintenance"),
                arguments(semaphore("job", 2), SEMAPHORE, "maintenance"),
                arguments(semaphore("job", 2), SEMAPHORE, "{\"Limit\":0,\"Holders\":[]}"),
                arguments(semaphore("job", 2), SEMAPHORE, ""),
                arguments(semaphore("job", 2), MUTEX, "maintenance"),
                arguments(lock("job"), SEMAPHORE, document),
                arguments(lock("job"), SEMAPHORE, ""));
    }

    @ParameterizedTest
    @MethodSource("foreignValues")
    void theLockIsOverwrittenWithWhatIsNotOfItsKind(Claim claim, String flags, String value) {
        Held holder = site.hold(gateway, claim);
        operator.put(prefix + ".lock", flags, value);
        assertThat(holder.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @Test
    void releasesAndRenewalsThroughAnotherGatewayAreKnown() {
        Held holder = site.hold(gateway, semaphore("job", 1));
        Held seen = new Held(holder.claimant(), holder.grant(), other);
        assertThat(seen.renew()).isEqualTo(RenewOutcome.RENEWED);
        assertThat(holder.renew()).isEqualTo(RenewOutcome.RENEWED);
        assertThat(seen.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(holder.renew()).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.awaitEnd()).isEqualTo(Ending.RELEASED);
    }
}
