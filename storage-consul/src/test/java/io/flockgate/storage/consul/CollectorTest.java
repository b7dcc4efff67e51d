package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A gateway forgets the idle keys of others, deletes what dead gateways left, and leaves the rest
 * alone.
 */
@Execution(ExecutionMode.CONCURRENT)
class CollectorTest {
    /** Longer than the time after which any gateway forgets a key, and shorter than a session. */
    private static final Duration IDLE = Duration.ofHours(2);

    private static final int DAY = 86_400;
    private static final int HELD = 40;

    private static final String TICKET = "{\"gw\":\"gone-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0}";
    private static final String SESSION = "05b33008-1db7-8c50-36e5-b061e56d4616";

    private final StandIns site = new StandIns();
    private final List<String> reads = new CopyOnWriteArrayList<>();
    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger mostReading = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
    }

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

    private Gateway recorded() {
        return site.gateway(Map.of("consul-session-ttl", String.valueOf(DAY)), this::recorded);
    }

    /** Waits until another gateway has forgotten an idle key. */
    private void awaitSweep(Gateway gateway, String key) {
        site.consul().put(StandIns.BASE + key + "/.lock", Flags.MUTEX, new byte[0]);
        gateway.awaitRead(key);
        gateway.jump(IDLE);
        Polling.until(
                "the key is forgotten",
                () -> site.consul().tree(StandIns.BASE + key + "/").isEmpty());
    }

    @Test
    void keysThatAreHeldOrWaitedForThroughAnotherGatewayAreNeverRead() {
        Gateway holder = site.gateway(DAY);
        for (int i = 0; i < HELD; i++) {
            Had unusedLock = holder.hold(Site.lock("held" + i));
            Had unusedSlot = holder.hold(Site.semaphore("held-semaphore" + i, 2));
            Queued unusedWaiter = holder.queue(Site.lock("held" + i));
        }
        Gateway other = recorded();

        awaitSweep(other, "first");
        awaitSweep(other, "second");

        assertThat(reads).isNotEmpty().noneMatch(each -> each.startsWith(StandIns.BASE + "held"));
    }

    @Test
    void aKeyThatThisGatewayHasTriedAndOthersHoldIsNotReadAgain() {
        Gateway holder = site.gateway(DAY);
        Gateway other = recorded();
        assertThat(holder.tryOnce(Site.lock("held"))).isInstanceOf(ClaimOutcome.Held.class);
        assertThat(other.tryOnce(Site.lock("held"))).isEqualTo(Refusal.BUSY);
        other.awaitRest(0);
        reads.clear();

        awaitSweep(other, "first");
        awaitSweep(other, "second");

        assertThat(reads).isNotEmpty().noneMatch(each -> each.startsWith(StandIns.BASE + "held"));
    }

    /**
     * The lease ends before the gateway receives another call, but after it has given the key up.
     */
    @Test
    void aDetachedGrantOfADeadGatewayIsFreedAtTheSecondClaim() {
        Gateway dead = site.gateway(DAY);
        Gateway other = recorded();
        Had had = dead.holdDetached(Site.lock("held"));
        dead.api().setCutOff(true);
        assertThat(other.tryOnce(Site.lock("held"))).isEqualTo(Refusal.BUSY);
        other.awaitRest(0);

        awaitSweep(other, "first");
        awaitSweep(other, "second");

        assertThat(other.tryOnce(Site.lock("held"))).isInstanceOf(ClaimOutcome.Held.class);
        assertThat(other.renew(had, 1000)).isEqualTo(RenewOutcome.NOT_HELD);
        dead.api().setCutOff(false);
    }

    @Test
    void idleKeysAreReadAFewAtATime() {
        for (int i = 0; i < HELD; i++) {
            site.consul().put(StandIns.BASE + "idle" + i + "/.lock", Flags.MUTEX, new byte[0]);
        }
        Gateway other = recorded();

        awaitSweep(other, "last");
        Polling.until(
                "all are forgotten",
                () -> site.consul().tree(StandIns.BASE + "idle").isEmpty());

        assertThat(mostReading.get()).isBetween(1, 4);
    }

    private Gateway soonForgetting() {
        return site.gateway(Map.of("consul-session-ttl", String.valueOf(DAY)), Duration.ofSeconds(1), api -> api);
    }

    private void put(String name, long flags, String value) {
        KvEntry unused = site.consul().put(StandIns.BASE + name, flags, value.getBytes(UTF_8));
    }

    /** The names below the base, except for those of gateways. */
    private List<String> names() {
        return site.consul().tree(StandIns.BASE).stream()
                .map(each -> each.key().substring(StandIns.BASE.length()))
                .filter(name -> !name.startsWith(".gateways/"))
                .toList();
    }

    /** Entries to be kept exist next to entries to be deleted. */
    @Test
    void orphansAreDeletedAndNothingElse() {
        Gateway gateway = soonForgetting();
        // A lease that outlasts the jumps.
        Had had = gateway.hold(new Claim(Key.of("held"), Kind.LOCK, 1, 80_000, true));
        put("held/.wait/gone-1-000000000001", 0, TICKET);
        put("job/.wait/gone-1-000000000001", 0, TICKET);
        put("job/.seq", 0, "gone-1-000000000001");
        put("pool/" + SESSION, Flags.SEMAPHORE, "");
        put("foreign/notes", 0, "x");
        put("foreign/deep/" + SESSION, Flags.SEMAPHORE, "");
        for (int i = 0; i < 200; i++) {
            put("many/.wait/gone-1-" + i, 0, TICKET);
        }
        Polling.until("orphans are deleted", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names().size() == 4;
        });
        assertThat(names())
                .containsExactlyInAnyOrder(".flockgate", "held/.lock", "foreign/notes", "foreign/deep/" + SESSION);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** More entries than the transaction that forgets the key deletes. */
    @Test
    void anIdleKeyGoesWithAllThatDeadGatewaysLeft() {
        Gateway gateway = soonForgetting();
        for (int i = 0; i < 200; i++) {
            put("job/.wait/gone-1-" + i, 0, TICKET);
        }
        put("pool/" + SESSION, Flags.SEMAPHORE, "");
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.hold(Site.semaphore("pool", 1)).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("both keys are gone", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names().equals(List.of(".flockgate"));
        });
        Polling.until("none counts", () -> gateway.storage().usage().keys() == 0);
    }
}
