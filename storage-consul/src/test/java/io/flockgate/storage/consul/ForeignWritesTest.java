package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
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
 * Writes that no gateway has made. An operator manually deletes, overwrites or restores entries:
 * holders are notified, and their successors continue. Other software holds slots of a key or waits
 * for them, in Consul's own formats.
 */
@Execution(ExecutionMode.CONCURRENT)
class ForeignWritesTest {
    private static final String PREFIX = StandIns.BASE + "job/";
    private static final String LOCK = PREFIX + ".lock";

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();
    private final String foreign = site.consul().createSession("foreign", Duration.ofMinutes(1));
    private final String contender = PREFIX + foreign;

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
                        arguments(claim, named("the session is ended", (Deed) ForeignWritesTest::endsTheSession))));
        return Stream.concat(
                ofBoth,
                Stream.of(
                        arguments(lock("job"), named("it is emptied", overwrites(Flags.MUTEX, ""))),
                        arguments(semaphore("job", 1), named("it is reset", overwrites(Flags.SEMAPHORE, reset(1)))),
                        arguments(semaphore("job", 1), named("the slot is deleted", (Deed)
                                ForeignWritesTest::deletesTheSlot))));
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
                arguments(pool, named("deleted and emptied", (Deed)
                        ForeignWritesTest::deletesTheSlotAndEmptiesTheDocument)),
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

    private boolean does(KvOp operation) {
        return site.consul().txn(List.of(operation)).committed() != null;
    }

    private void foreignSessionContends() {
        assertThat(does(new KvOp.Lock(contender, Flags.SEMAPHORE, new byte[0], foreign)))
                .isTrue();
    }

    private void foreignSessionHolds(int limit) {
        foreignSessionContends();
        String document = "{\"Limit\":" + limit + ",\"Holders\":{\"" + foreign + "\":true}}";
        assertThat(does(new KvOp.Set(LOCK, Flags.SEMAPHORE, document.getBytes(UTF_8))))
                .isTrue();
    }

    @Test
    void theSlotsOfOthersCountAndAreFreedByNoTidying() {
        foreignSessionHolds(2);
        Had own = gateway.hold(semaphore("job", 2));
        assertThat(gateway.tryOnce(semaphore("job", 2))).isEqualTo(Refusal.BUSY);
        Queued waiter = gateway.queue(semaphore("job", 2));
        for (byte i = 0; i < 3; i++) {
            gateway.jump(Duration.ofSeconds(2));
            site.consul().put(PREFIX + "stir", 0, new byte[] {i});
            gateway.awaitRead("job");
        }
        assertThat(waiter.granted()).isFalse();
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.document("job")).isEqualTo("{\"Limit\":2,\"Holders\":{\"" + foreign + "\":true}}");
        assertThat(site.consul().get(contender)).isNotNull();
    }

    @Test
    void anOperatorFreesASlotOfOthersByForceOnlyAndItsSessionLives() {
        foreignSessionHolds(1);
        Queued waiter = gateway.queue(semaphore("job", 1));
        assertThat(evict(false)).isEqualTo(EvictOutcome.FOREIGN);
        assertThat(evict(true)).isEqualTo(EvictOutcome.EVICTED);
        Had next = waiter.awaitGrant();
        assertThat(site.document("job")).doesNotContain(foreign);
        assertThat(site.consul().get(contender)).isNull();
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        foreignSessionContends();
    }

    private EvictOutcome evict(boolean force) {
        Key job = Key.of("job");
        long fence = Await.result(gateway.storage().inspect(KeyDetailQuery.first(job, 10)))
                .orElseThrow()
                .holders()
                .getFirst()
                .fence();
        return Await.result(gateway.storage().evict(job, fence, force));
    }

    /**
     * With a full queue here, the slot would otherwise pass from holder to holder and never be
     * free.
     */
    @Test
    void aForeignContenderFindsTheSlotFreeBetweenTwoLocalHolders() {
        Had first = gateway.hold(semaphore("job", 1));
        Queued second = gateway.queue(semaphore("job", 1));
        foreignSessionContends();
        gateway.awaitRead("job");
        List<List<KvOp>> sent = new CopyOnWriteArrayList<>();
        gateway.api().setFaults(request -> {
            sent.add(request.operations());
            return new Fault.None();
        });
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = second.awaitGrant();
        // The release left the slot free, and the grant came after it.
        assertThat(sent)
                .noneMatch(each -> each.stream().anyMatch(KvOp.Lock.class::isInstance)
                        && each.stream()
                                .anyMatch(one -> one instanceof KvOp.DeleteCas gone
                                        && !gone.key().contains("/.wait/")));
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
