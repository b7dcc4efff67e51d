package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.testsupport.Polling;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A slot freed through one gateway is granted to a waiter of another in the same write. */
@Execution(ExecutionMode.CONCURRENT)
class RemoteGrantTest {
    private final StandIns site = new StandIns();
    private final AtomicBoolean deaf = new AtomicBoolean();
    private final AtomicInteger promotions = new AtomicInteger();
    private final AtomicInteger heldBack = new AtomicInteger();
    private final Gateway here = site.gateway(600);
    private final Gateway there = site.gateway(Map.of("consul-session-ttl", "30"), this::hardOfHearing);

    @AfterEach
    void close() {
        deaf.set(false);
        site.close();
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, 100, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, 100, true));
    }

    static Stream<Arguments> faults() {
        return kinds().flatMap(claim -> Fault.OF_WRITES.stream().map(fault -> Arguments.of(claim, fault)));
    }

    /**
     * Delays answers of watches while the gateway is deaf, and counts them as well as its writes
     * that grant a slot to a head.
     */
    private ConsulApi hardOfHearing(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public TxnOutcome txn(List<KvOp> operations) {
                countPromotion(operations);
                return super.txn(operations);
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                KvList answer = super.watch(prefix, index, wait);
                heldBack.addAndGet(deaf.get() && prefix.endsWith("job/") ? 1 : 0);
                holdWhile(deaf::get);
                return answer;
            }
        };
    }

    private void countPromotion(List<KvOp> operations) {
        boolean leaves = operations.stream()
                .anyMatch(each ->
                        each instanceof KvOp.DeleteCas gone && gone.key().contains("/.wait/"));
        if (leaves && operations.stream().anyMatch(KvOp.Lock.class::isInstance)) {
            promotions.incrementAndGet();
        }
    }

    /**
     * One client holds here, and one waits here at the end of the queue; two wait there, at a
     * gateway that was just seen alive.
     */
    private record Scene(Had holder, Queued first, Queued second, Queued last) {}

    private Scene scene(Claim claim) {
        return queued(claim, here.hold(claim));
    }

    private Scene queued(Claim claim, Had holder) {
        Queued first = there.queue(claim);
        Queued last = here.queue(claim);
        here.awaitRead("job");
        Queued second = there.queue(claim);
        here.awaitRead("job");
        return new Scene(holder, first, second, last);
    }

    private void goesOn(Claim claim, Scene scene) {
        assertThat(scene.last().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        if (scene.second().leave() == LeaveOutcome.GRANTED) {
            assertThat(scene.second().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        Polling.until("nothing is left", () -> site.held("job").isEmpty());
        Had again = there.acquire(claim);
        assertThat(again.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
    }

    private String holdersGateway() {
        return text(site.held("job").getFirst());
    }

    private static String text(KvEntry entry) {
        return new String(entry.value(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theWaiterHasItWithoutAWriteOfItsOwnGateway(Claim claim) {
        Scene scene = scene(claim);
        String before = holdersGateway();
        long index = site.consul().raftIndex();
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("job")).hasSize(1);
        assertThat(holdersGateway()).isNotEqualTo(before).contains("\"silent\":true");
        Had now = scene.first().awaitGrant();
        assertThat(site.consul().raftIndex() - index).isEqualTo(1);
        assertThat(promotions).hasValue(0);
        assertThat(now.grant().fence()).isGreaterThan(scene.holder().grant().fence());
        assertThat(now.renew(100)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(here.renew(now, 100)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(claim, scene);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whateverBecomesOfTheWrite(Claim claim, Fault fault) {
        Scene scene = scene(claim);
        here.api().failNext(Call.TXN, fault);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(site.held("job")).hasSize(1);
        assertThat(scene.second().granted() || scene.last().granted()).isFalse();
        List<String> shown = site.shown("job");
        here.api().deliverLate();
        here.awaitRead("job");
        there.awaitRead("job");
        assertThat(site.shown("job")).isEqualTo(shown);
        assertThat(now.ending()).isNull();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.api().deliverLate();
        goesOn(claim, scene);
    }

    /** The ticket's offer may be written twice, but takes effect only once. */
    @ParameterizedTest
    @MethodSource("faults")
    void whateverBecameOfTheOffer(Claim claim, Fault fault) {
        Had holder = here.hold(claim);
        there.api().failNext(Call.TXN, fault);
        Queued first = there.queue(claim);
        Queued last = here.queue(claim);
        here.awaitRead("job");
        Queued second = there.queue(claim);
        here.awaitRead("job");
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = first.awaitGrant();
        there.api().deliverLate();
        here.awaitRead("job");
        there.awaitRead("job");
        assertThat(now.ending()).isNull();
        assertThat(site.held("job")).hasSize(1);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        there.api().deliverLate();
        goesOn(claim, new Scene(holder, first, second, last));
    }

    /**
     * No other gateway ends the lease, which begins only when the waiter's gateway learns of the
     * grant.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aGrantSeenAfterItsFirstLeaseWouldHaveEndedIsStillValid(Claim claim) {
        Scene scene = scene(claim);
        deaf.set(true);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.awaitRead("job");
        here.jump(Duration.ofSeconds(102));
        here.wake(claim);
        here.awaitRead("job");
        here.wake(claim);
        here.awaitRead("job");
        assertThat(scene.last().granted()).isFalse();
        deaf.set(false);
        Had now = scene.first().awaitGrant();
        assertThat(now.renew(100)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(scene.last().granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(claim, scene);
    }

    /** The waiter leaves when it has a slot but does not know that yet. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whoLeavesInTheSameMomentLeavesNothingBehind(Claim claim) {
        Scene scene = scene(claim);
        deaf.set(true);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        LeaveOutcome outcome = scene.first().leave();
        deaf.set(false);
        if (outcome == LeaveOutcome.GRANTED) {
            assertThat(scene.first().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        } else {
            assertThat(scene.first().granted()).isFalse();
        }
        goesOn(claim, scene);
    }

    /** Its session has ended, and for a lock its ticket too, but no gateway knows that yet. */
    @ParameterizedTest
    @MethodSource("kinds")
    void anOfferOfADeadSessionIsNotInTheWay(Claim claim) {
        Scene scene = scene(claim);
        String offered = site.tickets("job").stream()
                .map(RemoteGrantTest::text)
                .filter(each -> each.contains("offer"))
                .findFirst()
                .orElseThrow()
                .replaceAll(".*\"session\":\"([^\"]+)\".*", "$1");
        deaf.set(true);
        here.api().failNext(Call.TXN, new Fault.Before(() -> site.consul().endSession(offered)));
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        deaf.set(false);
        if (claim.kind() == Kind.LOCK) {
            // The waiters there have lost their places, and queue again in any order.
            assertThat(scene.last().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
            Polling.until(
                    "one of them has it",
                    () -> scene.first().granted() || scene.second().granted());
            Queued next = scene.first().granted() ? scene.first() : scene.second();
            assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
            Queued other = next.equals(scene.first()) ? scene.second() : scene.first();
            assertThat(other.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        } else {
            assertThat(scene.first().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
            goesOn(claim, scene);
        }
    }

    /**
     * The gateway of the head has shown no sign of life for a while, so it may have died and would
     * keep the slot.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void aHeadWhoseGatewayHasBeenSilentForLongTakesItsSlotItself(Claim claim) {
        Scene scene = scene(claim);
        here.jump(Duration.ofSeconds(3));
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(promotions).hasValue(1);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(claim, scene);
    }

    /**
     * Other gateways end the lease when it has expired, possibly before this gateway sees the
     * grant.
     */
    @Test
    void aShortLeaseIsNotGivenByOthers() {
        Claim claim = new Claim(Key.of("job"), Kind.LOCK, 1, 50, true);
        Scene scene = scene(claim);
        assertThat(site.tickets("job")).map(RemoteGrantTest::text).noneMatch(each -> each.contains("offer"));
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(promotions).hasValue(1);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(claim, scene);
    }

    /** Each slot of a semaphore has its own session, whichever gateway grants it. */
    @Test
    void severalSlotsGoToSeveralWaiters() {
        Claim claim = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);
        Had one = here.hold(claim);
        Had two = here.hold(claim);
        Scene scene = queued(claim, one);
        assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had other = scene.last().awaitGrant();
        assertThat(site.held("job")).hasSize(2);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had third = scene.second().awaitGrant();
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("nothing is left", () -> site.held("job").isEmpty());
    }

    /**
     * Of two slots freed at once, only one is granted as intended, because the other gateway has
     * not learnt of the first yet.
     */
    @Test
    void aSlotThatIsFreedOnAnOldViewMeetsAConflict() {
        Claim claim = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 100, true);
        Had one = here.hold(claim);
        Had two = there.hold(claim);
        Scene scene = queued(claim, one);
        deaf.set(true);
        assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("the answer of the watch is held back", () -> heldBack.get() > 0);
        there.awaitRest(0);
        assertThat(scene.first().granted()).isFalse();
        assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = scene.first().awaitGrant();
        Had other = scene.last().awaitGrant();
        assertThat(site.held("job")).hasSize(2);
        deaf.set(false);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(scene.second().awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("nothing is left", () -> site.held("job").isEmpty());
    }

    /** The answer to the write of a ticket shows the whole key. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whoQueuesLearnsOfTheGrantsOfOthersOnTheWay(Claim claim) {
        Scene scene = scene(claim);
        deaf.set(true);
        assertThat(scene.holder().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("the answer of the watch is held back", () -> heldBack.get() > 0);
        there.awaitRest(0);
        assertThat(scene.first().granted()).isFalse();
        Queued another = there.queue(claim);
        Had now = scene.first().awaitGrant();
        deaf.set(false);
        assertThat(another.leave()).isEqualTo(LeaveOutcome.LEFT);
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        goesOn(claim, scene);
    }
}
