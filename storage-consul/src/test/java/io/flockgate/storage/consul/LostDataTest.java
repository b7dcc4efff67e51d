package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Consul that has lost its data or is another one. No fence is ever lower than an earlier one.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostDataTest {
    private static final String NAME = StandIns.BASE + ".flockgate";
    private static final int TTL_SECONDS = 600;

    private final StandIns site = new StandIns();
    private final Claim claim = Site.lock("job");

    /** Whether the watches of a gateway receive no answer. */
    private final AtomicBoolean blind = new AtomicBoolean();

    /** Whether its sessions are neither renewed nor created. */
    private final AtomicBoolean sessionless = new AtomicBoolean();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        blind.set(false);
        sessionless.set(false);
        site.close();
    }

    private Gateway gateway(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put("consul-session-ttl", String.valueOf(TTL_SECONDS));
        return site.gateway(all, api -> api);
    }

    private Gateway gateway() {
        return gateway(Map.of());
    }

    private JsonObject record() {
        KvEntry entry = Objects.requireNonNull(site.consul().get(NAME));
        return new JsonObject(new String(entry.value(), UTF_8));
    }

    /** Makes this number of grants, and returns the last fence. */
    private long fenceAfter(Gateway gateway, int grants) {
        long fence = 0;
        for (int i = 0; i < grants; i++) {
            Had had = gateway.hold(claim);
            assertThat(Long.compareUnsigned(had.grant().fence(), fence)).isPositive();
            fence = had.grant().fence();
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        return fence;
    }

    /**
     * Waits for the watches, because a watch that asks only after the loss does not notice it until
     * its wait ends.
     */
    private static void awaitWatching(Gateway... gateways) {
        for (Gateway each : gateways) {
            Polling.until("it watches", () -> each.api().isAwaited(StandIns.BASE));
        }
    }

    private void awaitStopped(Gateway gateway) {
        Polling.until(
                "it has stopped",
                () -> gateway.storage().failureReason().orElse("").contains("Consul has lost"));
        assertThat(gateway.storage().failureReason().orElseThrow())
                .contains("--consul-fence-base", "delete the record");
        assertThat(Await.failure(gateway.ask(claim))).isNotNull();
    }

    private static void awaitReady(Gateway gateway) {
        Polling.until("ready", () -> gateway.storage().failureReason().isEmpty());
    }

    /** The remedy of the documentation: no record, and a higher base. */
    private void goesOnAbove(long fence) {
        String base = record().getString("fence_floor");
        assertThat(Long.parseUnsignedLong(base)).isGreaterThanOrEqualTo(fence);
        site.consul().delete(NAME);
        assertThat(fenceAfter(gateway(Map.of("consul-fence-base", base)), 1)).isGreaterThan(fence);
        assertThat(fenceAfter(gateway(Map.of("consul-fence-base", base)), 1)).isGreaterThan(fence);
    }

    /** A snapshot contains the sessions, so no gateway loses its own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyGatewayStopsWhenConsulStartsEmptyOrWithAnOlderSnapshot(boolean empty) {
        Gateway busy = gateway();
        Gateway idle = gateway();
        long early = fenceAfter(busy, 1);
        site.consul().save();
        long fence = fenceAfter(busy, 20);
        assertThat(fence).isGreaterThan(early);
        awaitWatching(busy, idle);
        if (empty) {
            site.consul().forget();
        } else {
            site.consul().restoreElsewhere();
        }
        awaitStopped(busy);
        awaitStopped(idle);
        assertThatThrownBy(this::gateway).hasMessageContaining("--consul-fence-base");
        busy.close();
        idle.close();
        goesOnAbove(fence);
    }

    /**
     * The index of the snapshot is above that of the watch, and the sessions are in the snapshot.
     */
    @Test
    void aGatewayStopsWhenASnapshotComesBackWhileItsWatchPauses() {
        Gateway gateway = gateway();
        awaitWatching(gateway);
        long early = fenceAfter(gateway, 1);
        Polling.until("the watch pauses", () -> !gateway.api().isAwaited(StandIns.BASE));
        assertThat(fenceAfter(gateway, 5)).isGreaterThan(early);
        site.consul().save();
        long fence = fenceAfter(gateway, 20);
        site.consul().restoreElsewhere();
        awaitStopped(gateway);
        gateway.close();
        goesOnAbove(fence);
    }

    /** The gateway has served none of the keys, and the one that has does not come back. */
    @Test
    void aGatewayThatHasOnlyWatchedStopsByItself() {
        Gateway busy = gateway();
        Gateway idle = gateway();
        long fence = fenceAfter(busy, 20);
        idle.awaitRead("job");
        awaitWatching(idle);
        busy.api().setCutOff(true);
        site.consul().forget();
        awaitStopped(idle);
        busy.api().setCutOff(false);
        awaitStopped(busy);
        busy.close();
        idle.close();
        goesOnAbove(fence);
    }

    /**
     * The gateway that has seen nothing starts first, and grants. It stops as soon as one that has
     * seen more comes back.
     */
    @Test
    void aGatewayThatHasSeenNothingStopsWhenAnotherComesBack() {
        Gateway away = gateway();
        long fence = fenceAfter(away, 20);
        awaitWatching(away);
        away.api().setCutOff(true);
        site.consul().forget();
        Gateway fresh = gateway();
        assertThat(fenceAfter(fresh, 1)).isLessThan(fence);
        away.api().setCutOff(false);
        awaitStopped(away);
        awaitStopped(fresh);
        away.close();
        fresh.close();
        goesOnAbove(fence);
    }

    /** The wait begins when the recreated record is read, not when a session is needed. */
    @Test
    void aSessionLostLongAfterADeletionIsReplacedAtOnce() {
        Gateway gateway = gateway();
        long fence = fenceAfter(gateway, 5);
        String cluster = record().getString("cluster");
        awaitWatching(gateway);
        site.consul().tree(StandIns.BASE).forEach(each -> site.consul().delete(each.key()));
        Polling.until("the record is there again", () -> site.consul().get(NAME) != null);
        awaitWatching(gateway);
        gateway.jump(Duration.ofSeconds(TTL_SECONDS));
        site.consul().sessions().forEach(site.consul()::endSession);
        Polling.until("a new session", () -> site.consul().sessions().size() == 1);
        awaitReady(gateway);
        assertThat(fenceAfter(gateway, 1)).isGreaterThan(fence);
        assertThat(record().getString("cluster")).isEqualTo(cluster);
    }

    /** For a grant, only the grant and its release are written to Consul. */
    @Test
    void aGrantIsOneWriteWhoseIndexIsItsFence() {
        Gateway gateway = gateway();
        long unused = fenceAfter(gateway, 1);
        long before = site.consul().raftIndex();
        long fence = fenceAfter(gateway, 10);
        assertThat(site.consul().raftIndex() - before).isEqualTo(20);
        assertThat(fence).isEqualTo(before + 19);
    }

    @Test
    void theStateFileRemembersOverRestarts() {
        Map<String, String> remembering =
                Map.of("fence-state-file", directory.resolve("new/fence").toString());
        Gateway gateway = gateway(remembering);
        long fence = fenceAfter(gateway, 20);
        gateway.close();
        Gateway again = gateway(remembering);
        assertThat(fenceAfter(again, 1)).isGreaterThan(fence);
        again.close();
        site.consul().forget();
        assertThatThrownBy(() -> gateway(remembering)).hasMessageContaining("Consul has lost");
        goesOnAbove(fence);
    }

    /** An agent that joins another cluster by mistake, where other gateways work. */
    @Test
    void aGatewayWhoseAgentHasMovedGoesOnWhenTheAgentIsBack() {
        Gateway gateway = gateway();
        try (StandIns elsewhere = new StandIns()) {
            Gateway theirs = elsewhere.gateway(TTL_SECONDS);
            while (elsewhere.consul().raftIndex() < site.consul().raftIndex() + 100) {
                elsewhere.consul().put("other/entry", elsewhere.consul().raftIndex(), new byte[0]);
            }
            gateway.api().join(elsewhere.consul());
            Polling.until(
                    "it says so",
                    () -> gateway.storage().failureReason().orElse("").contains("is another Consul"));
            assertThat(gateway.storage().failureReason().orElseThrow())
                    .contains("If the agent has joined another cluster, let it join its own again.");
            gateway.api().join(site.consul());
            awaitReady(gateway);
            assertThat(fenceAfter(gateway, 1)).isPositive();
            assertThat(theirs.storage().failureReason()).isEmpty();
        }
    }

    /** A gateway that notices the loss late, because its watches receive no answer. */
    private Gateway blindGateway() {
        return site.gateway(Map.of("consul-session-ttl", String.valueOf(TTL_SECONDS)), this::held);
    }

    private ConsulApi held(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                holdWhile(() -> isHeld(prefix));
                return super.list(prefix, consistency);
            }

            @Override
            public KvList watch(String prefix, long index, Duration wait) {
                holdWhile(() -> isHeld(prefix));
                KvList list = super.watch(prefix, index, wait);
                // A read in the meantime may show all grants, so it is discarded.
                return isHeld(prefix) ? list(prefix, Consistency.DEFAULT) : list;
            }

            private boolean isHeld(String prefix) {
                return blind.get() && prefix.equals(StandIns.BASE);
            }

            @Override
            public SessionRead watchSession(String id, long index, Duration wait) {
                holdWhile(() -> blind.get() && !wait.isZero());
                SessionRead read = super.watchSession(id, index, wait);
                holdWhile(() -> blind.get() && !wait.isZero());
                return read;
            }

            @Override
            public boolean renewSession(String id) {
                holdWhile(sessionless::get);
                return super.renewSession(id);
            }

            @Override
            public String createSession(String name, Duration ttl) {
                holdWhile(sessionless::get);
                return super.createSession(name, ttl);
            }
        };
    }

    /**
     * Only the idle gateway comes back. Others have written, so Consul's index is above everything
     * that it has seen.
     */
    private void forget(Gateway busy, long fence) {
        busy.api().setCutOff(true);
        site.consul().forget();
        for (int i = 0; i < 15; i++) {
            KvEntry unused = site.consul().put("others/" + i, 0, new byte[0]);
        }
        assertThat(site.consul().raftIndex()).isLessThan(fence - 5);
    }

    private void awaitBothStopped(Gateway busy, Gateway idle) {
        busy.api().setCutOff(false);
        awaitStopped(busy);
        blind.set(false);
        awaitStopped(idle);
    }

    private void awaitWaiting(Gateway idle) {
        Polling.until(
                "it waits", () -> idle.storage().failureReason().orElse("").contains("waits until all others"));
        assertThat(Await.failure(idle.ask(claim))).isNotNull();
    }

    /** The watch sees that the record is missing before the gateway knows that its session is. */
    @Test
    void aGatewayWhoseWatchMakesTheRecordAgainWaitsForTheOthers() {
        Gateway busy = gateway();
        Gateway idle = blindGateway();
        awaitWatching(idle);
        blind.set(true);
        sessionless.set(true);
        forget(busy, fenceAfter(busy, 20));
        blind.set(false);
        Polling.until("the record is there", () -> site.consul().get(NAME) != null);
        sessionless.set(false);
        awaitWaiting(idle);
        awaitBothStopped(busy, idle);
    }

    /**
     * The gateway still trusts its own session. The slot of a semaphore needs a new one, as does a
     * detached grant.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aNewSessionIsOfTheSameConsulAsTheGatewaysOwn(Kind kind) {
        Gateway busy = gateway();
        Gateway idle = blindGateway();
        awaitWatching(idle);
        blind.set(true);
        forget(busy, fenceAfter(busy, 20));
        var answer = kind == Kind.LOCK ? idle.askDetached(claim) : idle.ask(Site.semaphore("pool", 2));
        assertThat(Await.failure(answer)).isNotNull();
        awaitBothStopped(busy, idle);
    }

    /**
     * Consul loses its data after the gateway has read the record and before it creates its
     * session.
     */
    @Test
    void theRecordIsCheckedAgainAfterTheSessionWasMade() {
        Gateway busy = gateway();
        long fence = fenceAfter(busy, 20);
        AtomicBoolean once = new AtomicBoolean(true);
        Gateway idle = site.gateway(
                Map.of("consul-session-ttl", String.valueOf(TTL_SECONDS)), api -> new ForwardingConsulApi(api) {
                    @Override
                    public String createSession(String name, Duration ttl) {
                        if (once.getAndSet(false)) {
                            forget(busy, fence);
                        }
                        return super.createSession(name, ttl);
                    }
                });
        awaitWaiting(idle);
        awaitBothStopped(busy, idle);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "{}", "{\"cluster\":\"a\",\"fence\":\"-1\"}"})
    void aFileOfSomethingElseIsLeftAlone(String content) throws IOException {
        Path file = Files.writeString(directory.resolve("fence"), content);
        assertThatThrownBy(() -> gateway(Map.of("fence-state-file", file.toString())))
                .hasMessageContaining("--fence-state-file");
        assertThat(file).hasContent(content);
    }
}
