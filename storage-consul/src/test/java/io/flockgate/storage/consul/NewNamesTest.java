package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.layout.Flags;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A cluster whose keys have names of the older form, and how it comes to the newer one. No key ever has two holders. */
@Execution(ExecutionMode.CONCURRENT)
class NewNamesTest {
    private static final String RECORD = StandIns.BASE + ".flockgate";
    private static final String OLD_LOCK = StandIns.BASE + "a~2fb/.lock";
    private static final String NEW_LOCK = StandIns.BASE + "a,2fb/.lock";
    private static final Map<String, String> ADOPTING = Map.of("consul-adopt", "true");

    private final StandIns site = new StandIns();
    private final Claim claim = Site.lock("a/b");

    @AfterEach
    void close() {
        site.close();
    }

    private JsonObject record() {
        return new JsonObject(
                new String(Objects.requireNonNull(site.consul().get(RECORD)).value(), UTF_8));
    }

    /** As an earlier version has made it. */
    private void beginWithFormat1() {
        site.consul()
                .put(
                        RECORD,
                        0,
                        ("{\"format\":1,\"cluster\":\"5f0b1d3c9a7e4426\",\"fence_base\":0,\"holders\":\"list\","
                                        + "\"map\":\"e3b0c44298fc1c14\",\"fence_floor\":\"0\",\"checks\":0,\"later\":[1]}")
                                .getBytes(UTF_8));
    }

    private Gateway adopting() {
        return site.gateway(ADOPTING, api -> api);
    }

    private static void awaitReady(Gateway gateway) {
        Polling.until("ready", () -> gateway.storage().failureReason().isEmpty());
    }

    private static void awaitReason(Gateway gateway, String reason) {
        Polling.until(reason, () -> gateway.storage().failureReason().orElse("").contains(reason));
    }

    @Test
    void aNewClusterHasTheNewNames() {
        Had had = site.gateway().hold(claim);
        assertThat(site.consul().get(NEW_LOCK)).isNotNull();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** A rolling upgrade: gateways of the version before use the same names. */
    @Test
    void aClusterWithARecordOfFormat1KeepsItsNames() {
        beginWithFormat1();
        Gateway gateway = site.gateway();
        Had had = gateway.hold(claim);
        assertThat(site.consul().get(OLD_LOCK)).isNotNull();
        assertThat(site.consul().get(NEW_LOCK)).isNull();
        assertThat(site.gateway().tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(record().getInteger("format")).isEqualTo(1);
    }

    @Test
    void aClusterWithoutARecordKeepsTheNamesThatStandThere() {
        String session = site.consul().createSession(new SessionSpec("old", Duration.ofMinutes(10)));
        hold(OLD_LOCK, session);
        Gateway gateway = site.gateway();
        assertThat(gateway.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(record().getInteger("format")).isEqualTo(1);
    }

    private void hold(String name, String session) {
        KvOp lock = new KvOp.Lock(name, Flags.MUTEX, new byte[0], session);
        assertThat(site.consul().txn(List.of(lock))).isInstanceOf(TxnOutcome.Committed.class);
    }

    /** The command of the documentation. The gateways that run with the older names give up before the newer ones are used. */
    @Test
    void oneGatewayThatAdoptsChangesTheNames() {
        beginWithFormat1();
        Gateway old = site.gateway();
        Had had = old.hold(claim);
        Had other = old.hold(Site.semaphore("x:y", 2));
        Queued waiting = old.queue(claim);
        Gateway adopting = adopting();
        assertThat(adopting.storage().failureReason().orElseThrow()).contains("waits until all others have read it");
        assertThat(had.awaitEnd()).isEqualTo(Ending.LOST);
        assertThat(other.awaitEnd()).isEqualTo(Ending.LOST);
        awaitReason(old, "Restart this gateway");
        assertThat(Await.failure(old.ask(claim))).isNotNull();
        assertThat(waiting.granted()).isFalse();
        // The old gateway frees what it held, or the new one waits for a time.
        Polling.until("ready", () -> {
            adopting.jump(Duration.ofSeconds(1));
            return adopting.storage().failureReason().isEmpty();
        });
        Had next = adopting.hold(claim);
        assertThat(next.grant().fence()).isGreaterThan(had.grant().fence());
        assertThat(site.consul().tree(StandIns.BASE)).extracting(KvEntry::key).noneMatch(name -> name.contains("~"));
        assertThat(record().getMap())
                .containsEntry("format", 2)
                .containsKey("later")
                .doesNotContainKey("old_names");
        old.close();
        Gateway again = site.gateway();
        assertThat(again.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** It may be the key of a gateway that is cut off, or of somebody who uses Consul's own tools there. */
    @Test
    void nobodyGrantsWhileAKeyIsHeldUnderItsOldName() {
        beginWithFormat1();
        String session = site.consul().createSession(new SessionSpec("old", Duration.ofMinutes(10)));
        hold(OLD_LOCK, session);
        Gateway adopting = adopting();
        adopting.jump(Duration.ofSeconds(11));
        awaitReason(adopting, "a~2fb/.lock is still held by the session " + session);
        Gateway another = site.gateway();
        another.jump(Duration.ofSeconds(11));
        awaitReason(another, "a~2fb/.lock is still held by the session " + session);
        assertThat(Await.failure(adopting.ask(claim))).isNotNull();
        assertThat(Await.failure(another.ask(claim))).isNotNull();
        site.consul().endSession(session);
        awaitReady(adopting);
        Had had = adopting.hold(claim);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Its agent has left, and its holder still works. */
    @Test
    void aSlotWhoseSessionHasEndedCountsAsHeldForATime() {
        beginWithFormat1();
        String mark = "{\"gw\":\"old-1\",\"nonce\":\"n\",\"lease_ms\":1000,\"seq\":0,\"tok\":\"t\",\"ttl_ms\":20000}";
        site.consul().put(OLD_LOCK, Flags.MUTEX, mark.getBytes(UTF_8));
        Gateway adopting = adopting();
        adopting.jump(Duration.ofSeconds(11));
        awaitReason(adopting, "its holder may not know that yet");
        adopting.jump(Duration.ofSeconds(22));
        awaitReady(adopting);
        assertThat(site.consul().get(OLD_LOCK)).isNull();
    }

    /** An older gateway has renewed it for longer. */
    @Test
    void aDetachedGrantWhoseSessionHasEndedCountsAsHeldForItsLease() {
        beginWithFormat1();
        String mark = "{\"gw\":\"old-1\",\"nonce\":\"n\",\"lease_ms\":60000,\"seq\":1,\"tok\":\"t\",\"ttl_ms\":1000,"
                + "\"detached\":true}";
        site.consul().put(OLD_LOCK, Flags.MUTEX, mark.getBytes(UTF_8));
        AtomicInteger tries = new AtomicInteger();
        Gateway adopting = site.gateway(ADOPTING, api -> countingLists(api, tries));
        adopting.jump(Duration.ofSeconds(11));
        awaitReason(adopting, "its holder may not know that yet");
        adopting.jump(Duration.ofSeconds(20));
        int before = tries.get();
        Polling.until("another try", () -> tries.get() >= before + 2);
        assertThat(adopting.storage().failureReason().orElseThrow()).contains("its holder may not know that yet");
        adopting.jump(Duration.ofSeconds(42));
        awaitReady(adopting);
        assertThat(site.consul().get(OLD_LOCK)).isNull();
    }

    private static ConsulApi countingLists(ConsulApi api, AtomicInteger lists) {
        return new ForwardingConsulApi(api) {
            @Override
            public KvList list(String prefix, Consistency consistency) {
                if (prefix.equals(StandIns.BASE)) {
                    lists.incrementAndGet();
                }
                return super.list(prefix, consistency);
            }
        };
    }

    /** Somebody restarts the next gateway at once. It waits as long as the one that adopted. */
    @Test
    void aGatewayThatStartsBetweenWaitsToo() {
        beginWithFormat1();
        Gateway adopting = adopting();
        Gateway next = site.gateway();
        assertThat(next.storage().failureReason().orElseThrow()).contains("waits until all others have read it");
        next.jump(Duration.ofSeconds(11));
        adopting.jump(Duration.ofSeconds(11));
        awaitReady(adopting);
        awaitReady(next);
        Had had = adopting.hold(claim);
        assertThat(next.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void whatOthersHaveBelowSuchANameIsLeftAlone() {
        beginWithFormat1();
        site.consul().put(StandIns.BASE + "a~2fb/.lock", 42, "x".getBytes(UTF_8));
        site.consul().put(StandIns.BASE + "a~2fb/.seq", 0, "x".getBytes(UTF_8));
        site.consul().put(StandIns.BASE + "a~2fb/notes/today", 0, "x".getBytes(UTF_8));
        Gateway adopting = adopting();
        adopting.jump(Duration.ofSeconds(11));
        awaitReady(adopting);
        assertThat(site.consul().tree(StandIns.BASE + "a~"))
                .extracting(KvEntry::key)
                .containsExactly(StandIns.BASE + "a~2fb/.lock", StandIns.BASE + "a~2fb/notes/today");
    }

    /** Before its first answer from Consul a gateway does not know the names. */
    @Test
    void aGatewayThatStartsWithoutConsulLearnsTheNamesLater() {
        beginWithFormat1();
        Gateway late = site.gateway(Map.of(), NewNamesTest::cutOff);
        assertThat(Await.failure(late.ask(claim))).hasMessageContaining("not connected to Consul yet");
        late.api().setCutOff(false);
        awaitReady(late);
        Had had = late.hold(claim);
        assertThat(site.consul().get(OLD_LOCK)).isNotNull();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    private static ConsulApi cutOff(ConsulApi api) {
        ((FakeConsul) api).setCutOff(true);
        return api;
    }
}
