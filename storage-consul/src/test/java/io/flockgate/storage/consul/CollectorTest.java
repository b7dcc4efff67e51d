package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A gateway forgets the idle keys of others, deletes what dead gateways left, and leaves the rest
 * alone.
 */
@Execution(ExecutionMode.CONCURRENT)
class CollectorTest {
    /** Longer than the time after which any gateway forgets a key, and shorter than a session. */
    private static final Duration IDLE = Duration.ofHours(2);

    private static final int DAY = 86_400;
    private static final int MANY = 40;

    private static final String TICKET = "{\"gw\":\"gone-1\",\"kind\":\"lock\",\"limit\":1,\"touches\":0}";
    private static final String SESSION = "05b33008-1db7-8c50-36e5-b061e56d4616";

    /** Where a mapped key lives, which it shares with other software. */
    private static final String PLACE = "service/db/";

    private static final String FOREIGN_SESSION = "d3d5a5b4-8b0c-4f0e-9a58-0c6b0a8a7a11";

    private final StandIns site = new StandIns();

    @AfterEach
    void close() {
        site.close();
    }

    /** Waits until another gateway has forgotten an idle key. */
    private void awaitSweep(Gateway gateway, String key) {
        put(StandIns.BASE + key + "/.lock", Flags.MUTEX, "");
        gateway.awaitRead(key);
        gateway.jump(IDLE);
        awaitForgotten(key + "/");
    }

    private void awaitForgotten(String beginning) {
        Polling.until(
                "keys are forgotten",
                () -> site.consul().tree(StandIns.BASE + beginning).isEmpty());
    }

    @Test
    void noSweepReadsAKeyWhetherItIsIdleOrUsedThroughAnotherGateway() {
        Gateway holder = site.gateway(DAY);
        for (int i = 0; i < MANY; i++) {
            Had unusedLock = holder.hold(Site.lock("held" + i));
            Had unusedSlot = holder.hold(Site.semaphore("held-semaphore" + i, 2));
            Queued unusedWaiter = holder.queue(Site.lock("held" + i));
            put(StandIns.BASE + "idle" + i + "/.lock", Flags.MUTEX, "");
        }
        List<String> reads = new CopyOnWriteArrayList<>();
        Gateway other = site.gateway(DAY);
        other.api().setFaults(request -> {
            if (request.call() == Call.LIST) {
                reads.add(request.about());
            }
            return new Fault.None();
        });

        awaitSweep(other, "first");
        awaitSweep(other, "second");
        awaitForgotten("idle");

        assertThat(names(StandIns.BASE))
                .filteredOn(each -> each.endsWith("/.lock"))
                .hasSize(2 * MANY);
        assertThat(reads).noneMatch(each -> each.contains("held") || each.contains("idle"));
    }

    @Test
    void aWaiterThatLeavesAKeyThatItsGatewayHasForgottenIsGone() {
        Gateway gateway = site.gateway(DAY);
        Had first = gateway.hold(Site.lock("job"));
        Queued waiter = gateway.queue(Site.lock("job"));
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);

        awaitSweep(gateway, "another");
        awaitForgotten("job/");

        assertThat(waiter.leave()).isEqualTo(LeaveOutcome.GRANTED);
    }

    /**
     * The lease ends before the gateway receives another call, but after it has given the key up.
     */
    @Test
    void aDetachedGrantOfADeadGatewayIsFreedAtTheSecondClaim() {
        Gateway dead = site.gateway(DAY);
        Gateway other = site.gateway(DAY);
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

    private Gateway soonForgetting() {
        return site.gateway(Map.of("consul-session-ttl", String.valueOf(DAY)), Duration.ofSeconds(1), api -> api);
    }

    private void put(String name, long flags, String value) {
        KvEntry unused = site.consul().put(name, flags, value.getBytes(UTF_8));
    }

    /** Leaves more tickets than one transaction deletes. */
    private void leaveTickets(String key) {
        for (int i = 0; i < 200; i++) {
            put(key + ".wait/gone-1-" + i, 0, TICKET);
        }
    }

    /** The names below a base, except for those of gateways. */
    private List<String> names(String base) {
        return site.consul().tree(base).stream()
                .map(each -> each.key().substring(base.length()))
                .filter(name -> !name.startsWith(".gateways/"))
                .toList();
    }

    /** Entries to be kept exist next to entries to be deleted. */
    @Test
    void orphansAreDeletedAndNothingElse() {
        Gateway gateway = soonForgetting();
        // A lease that outlasts the jumps.
        Had had = gateway.hold(new Claim(Key.of("held"), Kind.LOCK, 1, 80_000, true));
        put("base/held/.wait/gone-1-000000000001", 0, TICKET);
        put("base/job/.wait/gone-1-000000000001", 0, TICKET);
        put("base/job/.seq", 0, "gone-1-000000000001");
        put("base/pool/" + SESSION, Flags.SEMAPHORE, "");
        put("base/notJson/.lock", 0, "not JSON");
        put("base/unknown/.lock", -1, "{\"Limit\":2,\"Holders\":{}}");
        put("base/spoilt/.lock", Flags.SEMAPHORE, "{\"Limit\":2,\"Holders\":null}");
        put("base/foreign/notes", 0, "x");
        put("base/foreign/deep/" + SESSION, Flags.SEMAPHORE, "");
        leaveTickets("base/many/");
        Polling.until("orphans are deleted", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names(StandIns.BASE).size() == 7;
        });
        assertThat(names(StandIns.BASE))
                .containsExactlyInAnyOrder(
                        ".flockgate",
                        "held/.lock",
                        "notJson/.lock",
                        "unknown/.lock",
                        "spoilt/.lock",
                        "foreign/notes",
                        "foreign/deep/" + SESSION);
        assertThat(Await.result(gateway.storage().inspect(KeyQuery.all(10))).keys())
                .extracting(KeySummary::key)
                .containsExactly(Key.of("held"));
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** More entries than the transaction that forgets the key deletes. */
    @Test
    void anIdleKeyGoesWithAllThatDeadGatewaysLeft() {
        Gateway gateway = soonForgetting();
        leaveTickets("base/job/");
        put("base/pool/" + SESSION, Flags.SEMAPHORE, "");
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.hold(Site.semaphore("pool", 1)).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("both keys are gone", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return names(StandIns.BASE).equals(List.of(".flockgate"));
        });
        Polling.until("none counts", () -> gateway.storage().usage().keys() == 0);
    }

    /** {@code --consul-map}. */
    private Gateway mapping(Duration idle) {
        return site.gateway(
                Map.of("consul-map", "job=service/db", "consul-session-ttl", String.valueOf(DAY)), idle, api -> api);
    }

    private void awaitWithoutLeftovers() {
        Polling.until(
                "what dead gateways left is deleted",
                () -> names(PLACE).stream().noneMatch(each -> each.startsWith(".wait/gone-1") || each.equals(SESSION)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aMappedKeyLivesWhereTheOperatorSaysAndItsEndIsSeenSoon(Kind kind) {
        Gateway gateway = mapping(IDLE);
        Had had = gateway.hold(Site.claim(kind, 1300));
        assertThat(site.consul().tree(StandIns.BASE + "job/")).isEmpty();
        assertThat(names(PLACE)).contains(".lock");
        assertThat(Await.result(gateway.storage().inspect(KeyQuery.all(10))).keys())
                .extracting(KeySummary::key)
                .containsExactly(Key.of("job"));
        site.consul().delete(PLACE + ".lock");
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
    }

    @Test
    void theHeadAtAMappedKeyDeletesWhatDeadGatewaysLeft() {
        Claim claim = Site.claim(Kind.LOCK, 1300);
        Had had = mapping(IDLE).hold(claim);
        Queued waiter = mapping(IDLE).queue(claim);
        leaveTickets(PLACE);
        awaitWithoutLeftovers();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Once its gateway has notified it. No read of all keys shows the ticket again. */
    @Test
    void theTicketOfAWaiterThatAnotherGatewayHasRemovedIsDeletedAtAMappedKey() {
        Claim claim = Site.claim(Kind.LOCK, 1300);
        Gateway other = mapping(IDLE);
        Had had = other.hold(claim);
        Queued waiter = mapping(IDLE).queue(claim);
        String ticket = site.consul().tree(PLACE + ".wait/").getFirst().key();
        assertThat(Await.result(
                        other.storage().removeWaiter(claim.key(), ticket.substring((PLACE + ".wait/").length()))))
                .isEqualTo(RemoveOutcome.REMOVED);
        Polling.until("the ticket is deleted", () -> site.consul().get(ticket) == null);
        waiter.claimant().awaitRemoved(waiter.ticket());
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The answer of a watch that was read before the deletion. */
    @Test
    void aDeletedTicketThatAnOldViewShowsIsNotDeletedAgain() {
        Claim claim = Site.claim(Kind.LOCK, 1300);
        AtomicInteger answers = new AtomicInteger();
        AtomicInteger deletions = new AtomicInteger();
        Gateway gateway = mapping(IDLE);
        gateway.api().setFaults(request -> {
            deletions.addAndGet(request.has(KvOp.DeleteCas.class::isInstance) ? 1 : 0);
            if (!request.is(Call.WATCH, PLACE)) {
                return new Fault.None();
            }
            // A newer answer would replace one that is not handled yet.
            gateway.awaitRest(0);
            return new Fault.After(answers::incrementAndGet);
        });
        Had had = gateway.hold(claim);
        Queued leaving = gateway.queue(claim);
        Queued staying = gateway.queue(claim);
        Polling.until("the key is watched", () -> gateway.api().isAwaited(PLACE));
        gateway.deaf().set(true);
        int before = answers.get();
        put(PLACE + "config", 7, "x");
        Polling.until("the watch is answered", () -> answers.get() == before + 1);
        assertThat(leaving.leave()).isEqualTo(LeaveOutcome.LEFT);
        // However long a slow machine takes, the answer comes soon.
        gateway.jump(Duration.ofMinutes(-1));
        gateway.deaf().set(false);
        Polling.until("the watch is answered again", () -> answers.get() > before + 1);
        gateway.awaitRest(0);
        assertThat(deletions).hasValue(1);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(staying.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Entries of other software and of later versions stay, and so does an idle key. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void theHolderOfAMappedKeyDeletesWhatDeadGatewaysLeftAndNothingElse(Kind kind) {
        Gateway gateway = mapping(Duration.ofSeconds(1));
        Had had = gateway.hold(Site.claim(kind, 1300));
        put(
                PLACE + SESSION,
                Flags.SEMAPHORE,
                new String(HolderMark.of("gone-1", "n", 1, 30_000).toBytes(), UTF_8));
        put(PLACE + "config", 7, "x");
        put(PLACE + FOREIGN_SESSION, Flags.SEMAPHORE, "");
        put(PLACE + ".wait/later", 0, "{\"v\":99,\"gw\":\"later-1\"}");
        put(PLACE + ".wait/notes", 0, "x");
        leaveTickets(PLACE);
        awaitWithoutLeftovers();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        // Any key forgotten now has been idle for a shorter time.
        assertThat(gateway.hold(Site.lock("later")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("a later key is forgotten", () -> {
            gateway.jump(Duration.ofSeconds(12));
            return site.consul().tree(StandIns.BASE + "later/").isEmpty();
        });
        gateway.awaitRest(0);
        assertThat(names(PLACE)).contains(".lock", "config", FOREIGN_SESSION, ".wait/later", ".wait/notes");
    }
}
