package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An operator manually deletes, overwrites or restores entries that gateways have written: holders
 * are notified, and their successors continue.
 */
@Execution(ExecutionMode.CONCURRENT)
class OperatorTest {
    private static final String PREFIX = StandIns.BASE + "job/";
    private static final String LOCK = PREFIX + ".lock";

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    /** What an operator does to the key. */
    interface Deed {
        void to(StandIns site);
    }

    private static Deed overwrites(long flags, String value) {
        return site -> {
            KvEntry unused = site.consul().put(LOCK, flags, value.getBytes(UTF_8));
        };
    }

    private static Deed deletes(String prefix) {
        return site -> site.consul().tree(prefix).forEach(each -> site.consul().delete(each.key()));
    }

    private static void endsTheSession(StandIns site) {
        site.consul().endSession(site.holdingSession("job"));
    }

    private static void deletesTheSlot(StandIns site) {
        site.consul().delete(site.held("job").getFirst().key());
    }

    private static void deletesTheSlotAndEmptiesTheDocument(StandIns site) {
        KvEntry slot = site.held("job").getFirst();
        List<KvOp> both = List.of(
                new KvOp.DeleteCas(slot.key(), slot.modifyIndex()), new KvOp.Set(LOCK, Flags.SEMAPHORE, new byte[0]));
        assertThat(site.consul().txn(both).committed()).isNotNull();
    }

    static Stream<Arguments> losses() {
        Stream<Arguments> ofBoth = Stream.of(lock("job"), semaphore("job", 1))
                .flatMap(claim -> Stream.of(
                        arguments(claim, named("the lock is deleted", deletes(LOCK))),
                        arguments(claim, named("everything is deleted", deletes(PREFIX))),
                        arguments(claim, named("the session is ended", (Deed) OperatorTest::endsTheSession))));
        return Stream.concat(
                ofBoth,
                Stream.of(
                        arguments(lock("job"), named("it is emptied", overwrites(Flags.MUTEX, ""))),
                        arguments(semaphore("job", 1), named("it is reset", overwrites(Flags.SEMAPHORE, reset(1)))),
                        arguments(semaphore("job", 1), named("the slot is deleted", (Deed)
                                OperatorTest::deletesTheSlot))));
    }

    private static String reset(int limit) {
        return "{\"Limit\":" + limit + ",\"Holders\":[]}";
    }

    /**
     * Accepts either ending, because after a quick successor the state does not distinguish a
     * release from a deletion.
     */
    @ParameterizedTest
    @MethodSource("losses")
    void theHolderHearsOfItAndTheNextGoesOn(Claim claim, Deed deed) {
        Had holder = gateway.hold(claim);
        Queued waiter = other.queue(claim);
        deed.to(site);
        assertThat(holder.awaitEnd()).isIn(Ending.LOST, Ending.RELEASED);
        assertThat(holder.renew(1000)).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
        goesOn(waiter, claim);
    }

    private void goesOn(Queued waiter, Claim claim) {
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("nothing is held", () -> site.held("job").isEmpty());
    }

    static Stream<Arguments> values() {
        Claim pool = semaphore("job", 2);
        return Stream.of(
                arguments(lock("job"), named("deleted", deletes(LOCK))),
                arguments(pool, named("deleted", deletes(LOCK))),
                arguments(pool, named("deleted and emptied", (Deed) OperatorTest::deletesTheSlotAndEmptiesTheDocument)),
                arguments(pool, named("no document", overwrites(Flags.NONE, "maintenance"))),
                arguments(pool, named("no document", overwrites(Flags.SEMAPHORE, "maintenance"))),
                arguments(pool, named("no limit", overwrites(Flags.SEMAPHORE, reset(0)))),
                arguments(pool, named("emptied", overwrites(Flags.SEMAPHORE, ""))),
                arguments(pool, named("a lock", overwrites(Flags.MUTEX, "maintenance"))),
                arguments(lock("job"), named("a semaphore", overwrites(Flags.SEMAPHORE, reset(2)))),
                arguments(lock("job"), named("an emptied semaphore", overwrites(Flags.SEMAPHORE, ""))));
    }

    @ParameterizedTest
    @MethodSource("values")
    void aHolderWithoutASuccessorIsLost(Claim claim, Deed deed) {
        Had holder = gateway.hold(claim);
        deed.to(site);
        assertThat(holder.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @ParameterizedTest
    @CsvSource({"LOCK, .wait/", "LOCK, .seq", "SEMAPHORE, .wait/", "SEMAPHORE, .seq"})
    void aWaiterWhoseEntriesAreDeletedIsServed(Kind kind, String name) {
        Claim claim = Site.claim(kind, 1000);
        Had holder = gateway.hold(claim);
        Queued waiter = other.queue(claim);
        deletes(PREFIX + name).to(site);
        Polling.until("there is a ticket", () -> !site.tickets("job").isEmpty());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(waiter, claim);
    }

    @Test
    void aHolderIsStruckAndTheOthersKeepTheirSlots() {
        Had first = gateway.hold(semaphore("job", 2));
        String session = site.holdingSession("job");
        Had second = gateway.hold(semaphore("job", 2));
        overwrites(Flags.SEMAPHORE, site.document("job").replace("\"" + session + "\",", ""))
                .to(site);
        assertThat(first.awaitEnd()).isEqualTo(Ending.LOST);
        assertThat(second.renew(1000)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(second.ending()).isNull();
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "what the struck holder has left is tidied away",
                () -> site.held("job").isEmpty());
    }

    /**
     * Even if the key has not been read since, because a long lease is renewed without a write but
     * not without a read.
     */
    @Test
    void aStrikeEndsRenewalsAtOnce() {
        Had holder = gateway.hold(semaphore("job", 1));
        overwrites(Flags.SEMAPHORE, reset(1)).to(site);
        assertThat(holder.renew(1000)).isEqualTo(RenewOutcome.NOT_HELD);
        assertThat(holder.awaitEnd()).isEqualTo(Ending.LOST);
    }

    /** With the same session, the document would be unchanged, and keep its index: the fence. */
    @Test
    void aSessionThatTheDocumentStillNamesIsNotTakenForTheNextGrant() {
        Had first = gateway.hold(semaphore("job", 1));
        String session = site.holdingSession("job");
        deletesTheSlot(site);
        assertThat(first.renew(1000)).isEqualTo(RenewOutcome.NOT_HELD);
        Had second = gateway.hold(semaphore("job", 1));
        assertThat(site.document("job")).doesNotContain(session);
        assertThat(second.grant().fence())
                .isEqualTo(Objects.requireNonNull(site.consul().get(LOCK)).modifyIndex())
                .isGreaterThan(first.grant().fence());
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nobodyLosesAPlaceWhileTheKeyIsSomethingElse(Kind kind) {
        Claim claim = Site.claim(kind, 1000);
        Had first = gateway.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = other.queue(claim);
        overwrites(5, "maintenance").to(site);
        assertThat(first.awaitEnd()).isNotNull();
        for (Gateway each : List.of(gateway, other)) {
            each.awaitRead("job");
            each.jump(Duration.ofSeconds(3));
        }
        site.consul().put(PREFIX + "stir", 0, new byte[] {1});
        gateway.awaitRead("job");
        other.awaitRead("job");
        assertThat(second.granted() || third.granted()).isFalse();
        site.consul().delete(LOCK);
        Had now = second.awaitGrant();
        assertThat(third.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(third, claim);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aTicketThatASnapshotBringsBackIsNotInTheWay(Kind kind) {
        Claim claim = Site.claim(kind, 30);
        Had holder = other.hold(claim);
        Queued gone = gateway.queue(claim);
        site.consul().save();
        assertThat(gone.leave()).isEqualTo(LeaveOutcome.LEFT);
        Queued waiter = gateway.queue(claim);
        // A watch that asks only after the restore does not notice it until its wait ends.
        Polling.until("the gateway watches the key", () -> gateway.api().isAwaited(PREFIX));
        site.consul().restore();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gone.granted()).isFalse();
    }
}
