package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes whose answer is lost, or that are carried out late or twice: nothing is lost, no client
 * has a slot twice, and late writes have no effect. One gateway experiences the fault; another,
 * unaffected gateway sees the same Consul.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(Kind.class)
class LateWriteTest {
    private final Claim claim;
    private final Claim brief;
    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();

    /** The number of writes that were carried out late. */
    private int late;

    LateWriteTest(Kind kind) {
        this.claim = Site.claim(kind, 1000);
        this.brief = Site.claim(kind, 5);
    }

    @AfterEach
    void close() {
        site.close();
    }

    static List<Fault> faults() {
        return Fault.OF_WRITES;
    }

    /** The write of a holder or a waiter that meets the fault. */
    enum Write {
        CLAIM,
        RENEWAL,
        RELEASE,
        JOIN,
        GRANT,
        HAND_OVER
    }

    /** Each fault of each write; the late write comes soon, or only after the next steps. */
    private static Stream<Arguments> faultsOf(Write... writes) {
        return Fault.OF_WRITES.stream()
                .flatMap(fault -> Stream.of(writes)
                        .flatMap(write -> Stream.of(true, false).map(soon -> Arguments.of(fault, write, soon))));
    }

    static Stream<Arguments> faultsOfHolders() {
        return faultsOf(Write.CLAIM, Write.RENEWAL, Write.RELEASE);
    }

    static Stream<Arguments> faultsOfWaiters() {
        return faultsOf(Write.JOIN, Write.GRANT, Write.HAND_OVER, Write.RELEASE);
    }

    private void nextWriteIs(Fault fault) {
        gateway.api().failNext(Call.TXN, fault);
    }

    private static boolean isLate(Fault fault) {
        return fault instanceof Fault.AppliedLater || fault instanceof Fault.Duplicated;
    }

    private void deliverLate() {
        late += gateway.api().deliverLate();
    }

    /** Delivers the late writes, after which the content must be unchanged. */
    private void lateOnesHaveNoEffect() {
        List<String> before = site.shown("job");
        long index = indexOfAll();
        deliverLate();
        if (indexOfAll() != index) {
            // Something was written, and the gateways react before the comparison.
            gateway.awaitRead("job");
            other.awaitRead("job");
        }
        assertThat(site.shown("job")).as("after %d late writes", late).isEqualTo(before);
    }

    private long indexOfAll() {
        return site.consul().list(StandIns.BASE).index();
    }

    private static void released(Had had) {
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * Checks that Consul shows no holder and no waiter, and that the key can be acquired through
     * either gateway.
     */
    private void allIsFree(Had last) {
        site.awaitUnused("job");
        lateOnesHaveNoEffect();
        Had one = gateway.acquire(claim);
        assertThat(one.grant().fence()).isGreaterThan(last.grant().fence());
        released(one);
        Had two = other.acquire(claim);
        assertThat(two.grant().fence()).isGreaterThan(one.grant().fence());
        lateOnesHaveNoEffect();
        released(two);
    }

    private void onlyOneHolder() {
        assertThat(site.held("job")).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("faultsOfHolders")
    void aHolder(Fault fault, Write write, boolean soon) {
        if (write == Write.CLAIM) {
            nextWriteIs(fault);
        }
        Had had = gateway.hold(write == Write.RENEWAL ? brief : claim);
        onlyOneHolder();
        gateway.awaitRead("job");
        if (write != Write.CLAIM) {
            nextWriteIs(fault);
        }
        if (write == Write.RENEWAL) {
            assertThat(gateway.renew(had, 5)).isEqualTo(RenewOutcome.RENEWED);
        }
        if (soon) {
            lateOnesHaveNoEffect();
        }
        released(had);
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        // It may queue first, because of a read of all keys from before the release.
        Had next = other.acquire(claim);
        lateOnesHaveNoEffect();
        onlyOneHolder();
        assertThat(other.renew(next, 30)).isEqualTo(RenewOutcome.RENEWED);
        released(next);
        allIsFree(next);
        assertThat(late > 0).isEqualTo(isLate(fault));
    }

    @ParameterizedTest
    @MethodSource("faultsOfWaiters")
    void waiters(Fault fault, Write write, boolean soon) {
        Had first = (write == Write.JOIN || write == Write.GRANT ? other : gateway).hold(claim);
        if (write == Write.JOIN) {
            nextWriteIs(fault);
        }
        Queued second = (write == Write.RELEASE ? other : gateway).queue(claim);
        Queued third = (write == Write.HAND_OVER ? gateway : other).queue(claim);
        gateway.awaitRead("job");
        if (write != Write.JOIN) {
            nextWriteIs(fault);
        } else if (soon) {
            deliverLate();
        }
        released(first);
        Had now = second.awaitGrant();
        onlyOneHolder();
        assertThat(third.granted()).isFalse();
        if (write != Write.JOIN && soon) {
            lateOnesHaveNoEffect();
        }
        assertThat(now.ending()).isNull();
        released(now);
        Had last = third.awaitGrant();
        released(last);
        // A ticket without a waiter must not block the key.
        deliverLate();
        allIsFree(last);
        assertThat(late > 0).isEqualTo(isLate(fault));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void joiningTheQueueComesAfterLeavingIt(Fault fault) {
        Had first = gateway.hold(claim);
        nextWriteIs(fault);
        Queued second = gateway.queue(claim);
        assertThat(second.leave()).isEqualTo(LeaveOutcome.LEFT);
        gateway.api().deliverLate();
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
        released(first);
        allIsFree(first);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void leavingTheQueue(Fault fault) {
        Had first = other.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = gateway.queue(claim);
        nextWriteIs(fault);
        assertThat(second.leave()).isEqualTo(LeaveOutcome.LEFT);
        lateOnesHaveNoEffect();
        released(first);
        Had now = third.awaitGrant();
        assertThat(second.granted()).isFalse();
        released(now);
        allIsFree(now);
    }

    /**
     * A call whose writes all meet the fault until it has failed for lack of an answer. Its gateway
     * has sessions that outlive the jump of its clock.
     */
    private final class GivenUp {
        private final Gateway lasting = site.gateway(600);
        private final AtomicInteger lostWrites = new AtomicInteger();

        void writesAre(Fault fault, Fault reads) {
            lasting.api().setFaults(request -> switch (request.call()) {
                case TXN -> {
                    lostWrites.incrementAndGet();
                    yield fault;
                }
                case LIST -> reads;
                default -> new Fault.None();
            });
        }

        void fails(Future<?> call) {
            Polling.until("a write is lost", () -> lostWrites.get() > 0);
            lasting.jump(Duration.ofSeconds(11));
            assertThat(Await.failure(call).effect()).isEqualTo(Effect.UNKNOWN);
        }

        void writesAreGood() {
            lasting.api().failNone();
        }

        void allIsFree() {
            site.awaitUnused("job");
            Had one = other.hold(claim);
            released(one);
            Had two = lasting.acquire(claim);
            assertThat(two.grant().fence()).isGreaterThan(one.grant().fence());
            released(two);
        }
    }

    /** A claim, or only a place in the queue. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimThatIsCarriedOutAfterItFailedIsGivenBack(boolean queued) {
        Had held = queued ? other.hold(claim) : null;
        GivenUp given = new GivenUp();
        given.writesAre(new Fault.AppliedLater(), new Fault.None());
        RecordingClaimant claimant = new RecordingClaimant(1);
        given.fails(given.lasting.ask(claim, claimant));
        given.writesAreGood();
        assertThat(given.lasting.api().deliverLate()).isPositive();
        if (held != null) {
            Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
            released(held);
        }
        given.allIsFree();
        assertThat(claimant.grants()).isZero();
        assertThat(claimant.faults()).isEmpty();
    }

    @Test
    void aLeaseEndsInTimeEvenIfItsSlotCannotBeFreedAtOnce() {
        Had had = gateway.hold(Site.claim(claim.kind(), 1));
        nextWriteIs(new Fault.Rejected(FailureKind.DENIED));
        assertThat(had.awaitEnd()).isEqualTo(Ending.EXPIRED);
        Polling.until("the slot is free", () -> site.held("job").isEmpty());
    }

    @Test
    void aReleaseThatFailedIsDoneInTheEnd() {
        GivenUp given = new GivenUp();
        Had had = given.lasting.hold(claim);
        given.writesAre(new Fault.LostUnknown(), new Fault.None());
        given.fails(given.lasting.storage().release(claim.key(), had.grant().token()));
        given.writesAreGood();
        assertThat(had.awaitEnd()).isEqualTo(Ending.RELEASED);
        given.allIsFree();
    }

    /**
     * The answer is lost, and so is all contact. A slot granted without the gateway's knowledge is
     * free again when it returns.
     */
    @Test
    void aClaimThatWasCarriedOutWithoutAnAnswerIsGivenBack() {
        GivenUp given = new GivenUp();
        // The key is known here, so that nothing needs to be read first.
        released(given.lasting.hold(claim));
        given.writesAre(new Fault.AppliedUnknown(), new Fault.Rejected(FailureKind.UNAVAILABLE));
        RecordingClaimant claimant = new RecordingClaimant(1);
        Future<ClaimOutcome> answer = given.lasting.ask(claim, claimant);
        given.fails(answer);
        assertThat(site.held("job")).isNotEmpty();
        given.writesAreGood();
        given.allIsFree();
        assertThat(claimant.grants()).isZero();
    }
}
