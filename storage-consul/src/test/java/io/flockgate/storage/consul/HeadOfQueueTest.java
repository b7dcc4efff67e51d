package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A head of the queue that does not take its slot. A gateway that has died with many waiters is
 * detected as dead once, and loses all its places.
 */
@Execution(ExecutionMode.CONCURRENT)
class HeadOfQueueTest {
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

    private List<Queued> queueMany(Claim claim, int waiters) {
        return Stream.generate(() -> dying.queue(claim)).limit(waiters).toList();
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

    private long now() {
        return System.nanoTime() + other.ahead().get();
    }

    /** Two seconds, after the lease plus one second if the gateway also held the slot. */
    @ParameterizedTest
    @CsvSource({"LOCK, 30", "SEMAPHORE, 30", "LOCK, 1", "SEMAPHORE, 1"})
    void allItsTicketsGoOnceTheFirstHasTakenNoSlot(Kind kind, long lease) {
        Claim claim = Site.claim(kind, lease);
        Had holder = (lease == 1 ? dying : other).hold(claim);
        List<Queued> unused = queueMany(claim, WAITERS);
        Queued waiter = other.queue(claim);
        dying.api().setCutOff(true);
        if (lease > 1) {
            assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        // Two seconds for each of the others would be twenty.
        assertThat(untilGranted(waiter, claim)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(6));
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** A claim removes as many of the dead waiters as fit into one transaction. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void claimsThatDoNotQueueGetPastADeadQueue(Kind kind) {
        Claim claim = Site.claim(kind, 30);
        Had holder = other.hold(claim);
        List<Queued> unused = queueMany(claim, WAITERS + Transactions.MAX_DELETED);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(3));
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(site.tickets("job")).hasSize(WAITERS);
        other.jump(Duration.ofSeconds(3));
        assertThat(other.tryOnce(claim)).isInstanceOf(ClaimOutcome.Held.class);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theWaitersOfASlowGatewayQueueAgainInTheirOrder(Kind kind) {
        Claim claim = Site.claim(kind, 30);
        Had holder = other.hold(claim);
        List<Queued> waiters = queueMany(claim, WAITERS);
        dying.api().setCutOff(true);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(other.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        other.jump(Duration.ofSeconds(3));
        Had next = other.acquire(claim);
        dying.api().setCutOff(false);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        for (Queued waiter : waiters) {
            assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
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

    private static List<KvEntry> crowd() {
        return IntStream.range(0, 20_000)
                .mapToObj(i -> new KvEntry(StandIns.BASE + "z" + i + "/foreign", 0, new byte[0], null, 1, 1))
                .toList();
    }

    /** Shows other entries in each read of all keys, so that a gateway reads them more rarely. */
    private static ConsulApi crowded(ConsulApi api, List<KvEntry> others) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                return crowded(prefix, super.list(prefix, consistency));
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                return crowded(prefix, super.watch(prefix, index, wait));
            }

            private KvList crowded(String prefix, KvList list) {
                if (!prefix.equals(StandIns.BASE)) {
                    return list;
                }
                List<KvEntry> all = new ArrayList<>(list.entries());
                all.addAll(others);
                return new KvList(all, list.index());
            }
        };
    }

    /** It has no watch of its own, and its gateway is between two reads of all keys. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aHeadThatReadsSeldomIsNotOvertaken(Kind kind) {
        List<KvEntry> others = crowd();
        Gateway seldom =
                site.gateway(Map.of("consul-session-ttl", "600", "consul-watches", "0"), api -> crowded(api, others));
        seldom.awaitRead("job");
        Claim claim = Site.claim(kind, 30);
        Had holder = other.hold(claim);
        Queued first = seldom.queue(claim);
        Queued second = other.queue(claim);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        other.awaitRead("job");
        other.jump(Duration.ofSeconds(3));
        other.wake(claim);
        // Its clock is ahead, so no more time may pass there.
        other.api().setCutOff(true);
        assertThat(second.granted()).isFalse();
        Had granted = first.awaitGrant();
        other.api().setCutOff(false);
        assertThat(granted.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static void makesNoSessions(Gateway gateway, int failures, FailureKind kind) {
        AtomicInteger tries = new AtomicInteger();
        gateway.api()
                .setFaults(request -> request.call() == Call.CREATE_SESSION && tries.incrementAndGet() <= failures
                        ? new Fault.Rejected(kind)
                        : new Fault.None());
    }

    /** As while Consul elects a leader. */
    @Test
    void aHeadThatGetsNoSessionAtOnceIsTriedAgainAndNotPassed() {
        Claim claim = Site.claim(Kind.SEMAPHORE, 1000);
        Gateway gateway = site.gateway();
        Had first = other.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = other.queue(claim);
        makesNoSessions(gateway, 4, FailureKind.UNAVAILABLE);
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        assertThat(third.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /**
     * For instance because Consul no longer accepts a session with this TTL. A detached grant needs
     * its own, and the claim behind it none.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHeadThatGetsNoSessionDoesNotBlockTheOthersForEver(boolean atTheSameGateway) {
        Claim claim = Site.claim(Kind.LOCK, 1000);
        Had first = other.hold(claim);
        Queued second = dying.asks(claim, true).queued();
        Queued third = (atTheSameGateway ? dying : other).queue(claim);
        makesNoSessions(dying, Integer.MAX_VALUE, FailureKind.INVALID);
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "the head shows that it is alive",
                () -> site.tickets("job").stream()
                        .anyMatch(each -> new String(each.value(), StandardCharsets.UTF_8).contains("\"touches\":1")));
        dying.jump(Duration.ofSeconds(11));
        Had now = third.awaitGrant();
        assertThat(second.granted()).isFalse();
        dying.api().failNone();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
