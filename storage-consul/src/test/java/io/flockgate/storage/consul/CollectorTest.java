package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A gateway forgets the idle keys of others, and leaves those in use alone. */
@Execution(ExecutionMode.CONCURRENT)
class CollectorTest {
    /** Longer than the time after which any gateway forgets a key, and shorter than a session. */
    private static final Duration IDLE = Duration.ofHours(2);

    private static final int DAY = 86_400;
    private static final int HELD = 40;

    private final List<String> reads = new CopyOnWriteArrayList<>();
    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger mostReading = new AtomicInteger();

    private ConsulApi recorded(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                if (prefix.equals(StandIns.BASE)) {
                    return super.list(prefix, consistency);
                }
                reads.add(prefix);
                if (!prefix.startsWith(StandIns.BASE + "idle")) {
                    return super.list(prefix, consistency);
                }
                mostReading.accumulateAndGet(reading.incrementAndGet(), Math::max);
                try {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    return super.list(prefix, consistency);
                } finally {
                    reading.decrementAndGet();
                }
            }
        };
    }

    private Gateway recorded(StandIns site) {
        return site.gateway(Map.of("consul-session-ttl", String.valueOf(DAY)), this::recorded);
    }

    /** Waits until another gateway has forgotten an idle key. */
    private static void awaitSweep(StandIns site, Gateway gateway, String key) {
        site.consul().put(StandIns.BASE + key + "/.lock", Flags.MUTEX, new byte[0]);
        gateway.awaitRead(key);
        gateway.jump(IDLE);
        Polling.until(
                "the key is forgotten",
                () -> site.consul().tree(StandIns.BASE + key + "/").isEmpty());
    }

    @Test
    void keysThatAreHeldOrWaitedForThroughAnotherGatewayAreNeverRead() {
        try (StandIns site = new StandIns()) {
            Gateway holder = site.gateway(DAY);
            for (int i = 0; i < HELD; i++) {
                Had unusedLock = holder.hold(Site.lock("held" + i));
                Had unusedSlot = holder.hold(Site.semaphore("held-semaphore" + i, 2));
                Queued unusedWaiter = holder.queue(Site.lock("held" + i));
            }
            Gateway other = recorded(site);

            awaitSweep(site, other, "first");
            awaitSweep(site, other, "second");

            assertThat(reads).isNotEmpty().noneMatch(each -> each.startsWith(StandIns.BASE + "held"));
        }
    }

    @Test
    void aKeyThatThisGatewayHasTriedAndOthersHoldIsNotReadAgain() {
        try (StandIns site = new StandIns()) {
            Gateway holder = site.gateway(DAY);
            Gateway other = recorded(site);
            assertThat(holder.tryOnce(Site.lock("held"))).isInstanceOf(ClaimOutcome.Held.class);
            assertThat(other.tryOnce(Site.lock("held"))).isEqualTo(Refusal.BUSY);
            other.awaitRest(0);
            reads.clear();

            awaitSweep(site, other, "first");
            awaitSweep(site, other, "second");

            assertThat(reads).isNotEmpty().noneMatch(each -> each.startsWith(StandIns.BASE + "held"));
        }
    }

    /**
     * The lease ends before the gateway receives another call, but after it has given the key up.
     */
    @Test
    void aDetachedGrantOfADeadGatewayIsFreedAtTheSecondClaim() {
        try (StandIns site = new StandIns()) {
            Gateway dead = site.gateway(DAY);
            Gateway other = recorded(site);
            Had had = dead.holdDetached(Site.lock("held"));
            dead.api().setCutOff(true);
            assertThat(other.tryOnce(Site.lock("held"))).isEqualTo(Refusal.BUSY);
            other.awaitRest(0);

            awaitSweep(site, other, "first");
            awaitSweep(site, other, "second");

            assertThat(other.tryOnce(Site.lock("held"))).isInstanceOf(ClaimOutcome.Held.class);
            assertThat(other.renew(had, 1000)).isEqualTo(RenewOutcome.NOT_HELD);
            dead.api().setCutOff(false);
        }
    }

    @Test
    void idleKeysAreReadAFewAtATime() {
        try (StandIns site = new StandIns()) {
            for (int i = 0; i < HELD; i++) {
                site.consul().put(StandIns.BASE + "idle" + i + "/.lock", Flags.MUTEX, new byte[0]);
            }
            Gateway other = recorded(site);

            awaitSweep(site, other, "last");
            Polling.until(
                    "all are forgotten",
                    () -> site.consul().tree(StandIns.BASE + "idle").isEmpty());

            assertThat(mostReading.get()).isBetween(1, 4);
        }
    }
}
