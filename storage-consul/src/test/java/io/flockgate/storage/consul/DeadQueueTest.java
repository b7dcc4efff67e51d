package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A gateway that has died with many waiters is detected as dead once, not once for each of them.
 */
@Execution(ExecutionMode.CONCURRENT)
class DeadQueueTest {
    private static final int WAITERS = 10;
    private static final Duration STEP = Duration.ofMillis(100);

    private final StandIns site = new StandIns();
    private final Gateway dying = site.gateway(600);
    private final Gateway other = site.gateway(600);

    @AfterEach
    void close() {
        dying.api().setCutOff(false);
        site.close();
    }

    static Stream<Kind> kinds() {
        return Stream.of(Kind.values());
    }

    private static Claim claim(Kind kind, long leaseSeconds) {
        return new Claim(Key.of("job"), kind, 1, leaseSeconds, true);
    }

    private void die(Claim claim) {
        for (int i = 0; i < WAITERS; i++) {
            Queued unused = dying.queue(claim);
        }
    }

    /** The time until the grant by the other gateway's clock, which runs faster than real time. */
    private Duration untilGranted(Queued waiter, Claim claim) {
        long start = now();
        while (!waiter.granted()) {
            other.jump(STEP);
            other.wake(claim);
        }
        return Duration.ofNanos(now() - start);
    }

    /**
     * Checks that the waiter has its slot after half a second for each of the others; two seconds
     * for each would be twenty.
     */
    private void hasItsSlotSoon(Queued waiter, Claim claim) {
        assertThat(untilGranted(waiter, claim)).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(13));
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private long now() {
        return System.nanoTime() + other.ahead().get();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsHeadsPassFastOnceOneHasTakenNoSlot(Kind kind) {
        Claim claim = claim(kind, 30);
        Had holder = other.hold(claim);
        die(claim);
        Queued waiter = other.queue(claim);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        // Two seconds for the first of them.
        hasItsSlotSoon(waiter, claim);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itsHeadsPassFastOnceItsLeaseHasRunOut(Kind kind) {
        Claim claim = claim(kind, 1);
        Had unused = dying.hold(claim);
        die(claim);
        Queued waiter = other.queue(claim);
        dying.api().setCutOff(true);
        // The lease plus one second for the first of them.
        hasItsSlotSoon(waiter, claim);
    }

    /**
     * A gateway that could not see anything itself cannot have observed that another gateway did
     * nothing.
     */
    @ParameterizedTest
    @MethodSource("kinds")
    void whoWasCutOffItselfTakesNobodyForDead(Kind kind) {
        Claim claim = claim(kind, 30);
        Gateway third = site.gateway(600);
        Had holder = third.hold(claim);
        Queued first = dying.queue(claim);
        Queued last = other.queue(claim);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        // It sees that the slot is free, and starts counting.
        other.awaitRead("job");
        AtomicInteger inVain = new AtomicInteger();
        other.api().setFaults((call, operations) -> {
            inVain.addAndGet(call == Call.LIST ? 1 : 0);
            return new Fault.Rejected(FailureKind.UNAVAILABLE);
        });
        other.jump(Duration.ofSeconds(3));
        // A call made now reads the key as soon as that is possible.
        Future<ReleaseOutcome> asked = other.storage().release(claim.key(), new Token(1, 1));
        Polling.until("it has looked in vain", () -> inVain.get() > 1);
        other.api().setFaults((call, operations) -> new Fault.None());
        assertThat(Await.result(asked)).isEqualTo(ReleaseOutcome.NOT_HELD);
        other.awaitRead("job");
        assertThat(last.granted()).isFalse();
        assertThat(site.tickets("job")).hasSize(2);
        dying.api().setCutOff(false);
        assertThat(first.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The lock is free, but the head of the queue is dead, and no other claim waits. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatDoesNotQueueGetsPastADeadHead(Kind kind) {
        Claim claim = claim(kind, 30);
        Had holder = other.hold(claim);
        Queued unused = dying.queue(claim);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(1));
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(2));
        assertThat(other.tryOnce(claim)).isInstanceOf(ClaimOutcome.Held.class);
        assertThat(site.tickets("job")).isEmpty();
    }

    /** Each claim removes at least one of the dead waiters. */
    @ParameterizedTest
    @MethodSource("kinds")
    void claimsThatDoNotQueueGetPastADeadQueue(Kind kind) {
        Claim claim = claim(kind, 30);
        Had holder = other.hold(claim);
        die(claim);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        for (int left = WAITERS; left > 0; left--) {
            assertThat(site.tickets("job")).hasSizeLessThanOrEqualTo(left);
            other.jump(Duration.ofSeconds(left == WAITERS ? 3 : 1));
            assertThat(other.tryOnce(claim)).isInstanceOf(left > 1 ? Refusal.class : ClaimOutcome.Held.class);
        }
    }

    /** The head has had no time to see the slot, however long it has been the head. */
    @Test
    void aHeadIsNotDeadBeforeItCouldSeeTheSlot() {
        Claim claim = new Claim(Key.of("job"), Kind.SEMAPHORE, 2, 30, true);
        Had one = other.hold(claim);
        Had two = other.hold(claim);
        Queued waiting = dying.queue(claim);
        dying.api().setCutOff(true);
        assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(3));
        assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        dying.api().setCutOff(false);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
