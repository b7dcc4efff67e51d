package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.consul.format.Flags;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gateways with different settings never form one cluster. */
@Execution(ExecutionMode.CONCURRENT)
class ClusterRecordTest {
    private static final String NAME = StandIns.BASE + ".flockgate";

    private static final Map<String, String> ADOPTING =
            Map.of("consul-map", "job=service/db", "consul-adopt", "true", "consul-session-ttl", "3600");

    private final StandIns site = new StandIns();
    private final Claim claim = Site.lock("job");

    @AfterEach
    void close() {
        site.close();
    }

    private KvEntry entry() {
        return Objects.requireNonNull(site.consul().get(NAME));
    }

    private JsonObject record() {
        return new JsonObject(new String(entry().value(), UTF_8));
    }

    private Gateway gateway(Map<String, String> options) {
        return site.gateway(options, api -> api);
    }

    private static void awaitReady(Gateway gateway) {
        Polling.until("ready", () -> gateway.storage().failureReason().isEmpty());
    }

    private static void awaitStopped(Gateway gateway, String... reasons) {
        Polling.until(
                "stopped",
                () -> gateway.storage().failureReason().orElse("").contains("does not agree with the record"));
        assertThat(gateway.storage().failureReason().orElseThrow()).contains(reasons);
    }

    private void worksAt(Gateway gateway) {
        assertThat(gateway.hold(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theFirstGatewayMakesTheRecordAndTheOthersLeaveIt() {
        worksAt(gateway(Map.of("consul-fence-base", "7", "consul-holders", "map")));
        KvEntry made = entry();
        assertThat(record().getMap())
                .containsEntry("format", 2)
                .containsEntry("fence_base", 7)
                .containsEntry("holders", "map")
                .containsKeys("cluster", "map");
        worksAt(gateway(Map.of("consul-fence-base", "7", "consul-holders", "map")));
        assertThat(entry().modifyIndex()).isEqualTo(made.modifyIndex());
    }

    @ParameterizedTest
    @CsvSource({
        "consul-fence-base, 21, 1000000",
        "consul-holders, map, list",
        "consul-map, job=service/db, job=service/other"
    })
    void aGatewayThatDiffersDoesNotStart(String option, String here, String there) {
        Gateway first = gateway(Map.of(option, there));
        String hash = record().getString("map");
        assertThatThrownBy(() -> gateway(Map.of(option, here)))
                .hasMessageContaining("--" + option)
                .hasMessageContaining(option.equals("consul-map") ? hash : there)
                .hasMessageContaining(option.equals("consul-map") ? "hash" : here)
                .hasMessageContaining("--consul-adopt");
        worksAt(first);
        assertThat(site.consul().sessions()).hasSize(1);
    }

    /**
     * An upgrade: the record is created from the settings of the first gateway that looks for it.
     */
    @Test
    void aClusterWithoutARecordGetsOneAndKeepsWhatItHolds() {
        Gateway old = site.gateway();
        Had had = old.hold(claim);
        site.consul().delete(NAME);
        Gateway upgraded = site.gateway();
        Queued next = upgraded.queue(claim);
        assertThat(record().getInteger("format")).isEqualTo(2);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spoilt",
                "{\"format\":1,\"cluster\":\"a\",\"fence_base\":0,\"holders\":\"list\",\"map\":\"b\"}",
                "{\"format\":3,\"cluster\":\"a\",\"fence_base\":0,\"holders\":\"list\",\"map\":\"b\"}"
            })
    void aRecordThatCannotBeReadIsLeftAlone(String value) {
        site.consul().put(NAME, 0, value.getBytes(UTF_8));
        assertThatThrownBy(site::gateway).hasMessageContaining("not a record of format 2");
        assertThat(new String(entry().value(), UTF_8)).isEqualTo(value);
    }

    /** All members stop, and the first gateway that starts adopts its settings. */
    @ParameterizedTest
    @CsvSource({"consul-fence-base, 5000", "consul-map, job=service/db"})
    void settingsChangeWithAllMembersStopped(String option, String value) {
        Gateway first = site.gateway();
        Had had = first.hold(claim);
        String cluster = record().getString("cluster");
        first.close();
        // With a long TTL, the time that the test itself takes makes no difference.
        Gateway adopting = gateway(Map.of(option, value, "consul-adopt", "true", "consul-session-ttl", "3600"));
        assertThat(adopting.storage().failureReason().orElseThrow()).contains("waits until all others have read it");
        adopting.jump(Duration.ofMinutes(30));
        assertThat(Await.failure(adopting.ask(claim))).isNotNull();
        adopting.jump(Duration.ofMinutes(31));
        awaitReady(adopting);
        Had next = adopting.hold(claim);
        assertThat(next.grant().fence()).isGreaterThan(had.grant().fence());
        Gateway again = gateway(Map.of(option, value));
        Queued last = again.queue(claim);
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(record().getString("cluster")).isEqualTo(cluster);
    }

    @Test
    void nobodyAdoptsWhileAnotherGatewayIsAlive() {
        Gateway running = site.gateway();
        Had had = running.hold(claim);
        KvEntry before = entry();
        assertThatThrownBy(() -> gateway(ADOPTING))
                .hasMessageContaining("--consul-adopt")
                .hasMessageContaining(StandIns.BASE + ".gateways/");
        assertThat(entry().modifyIndex()).isEqualTo(before.modifyIndex());
        assertThat(had.ending()).isNull();
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        running.close();
        awaitAdopted(gateway(ADOPTING));
    }

    /**
     * A service without a gateway has no entry of its own, and is found only by its grants and
     * tickets, including those at mapped prefixes.
     */
    @ParameterizedTest
    @ValueSource(strings = {StandIns.BASE + "other/.lock", "service/db/.lock"})
    void nobodyAdoptsWhileAServiceHoldsOrWaits(String held) {
        Gateway first = site.gateway();
        worksAt(first);
        first.close();
        String session = site.consul().createSession(new SessionSpec("service", Duration.ofMinutes(10)));
        byte[] mark =
                "{\"v\":1,\"gw\":\"service-1\",\"nonce\":\"n\",\"lease_ms\":60000,\"seq\":0,\"tok\":\"t\",\"detached\":true}"
                        .getBytes(UTF_8);
        KvOp lock = new KvOp.Lock(held, Flags.MUTEX, mark, session);
        assertThat(site.consul().txn(List.of(lock))).isInstanceOf(TxnOutcome.Committed.class);
        assertThatThrownBy(() -> gateway(ADOPTING)).hasMessageContaining(held).hasMessageContaining(session);
        site.consul().endSession(session);
        awaitAdopted(gateway(ADOPTING));
    }

    /** Users of Consul's own tools at a mapped prefix are not members. */
    @Test
    void aHolderOfConsulLockAtAMappedPrefixDoesNotHinderAdoption() {
        Gateway first = site.gateway();
        worksAt(first);
        first.close();
        String session = site.consul().createSession(new SessionSpec("lock", Duration.ofMinutes(10)));
        KvOp lock = new KvOp.Lock("service/db/.lock", Flags.MUTEX, new byte[0], session);
        assertThat(site.consul().txn(List.of(lock))).isInstanceOf(TxnOutcome.Committed.class);
        awaitAdopted(gateway(ADOPTING));
    }

    private void awaitAdopted(Gateway adopting) {
        adopting.jump(Duration.ofMinutes(61));
        awaitReady(adopting);
        assertThat(record().getString("map")).isNotEqualTo("e3b0c44298fc1c14");
    }

    @Test
    void aStoppedGatewayGoesOnWhenTheRecordAgreesAgain() {
        Gateway gateway = site.gateway();
        worksAt(gateway);
        byte[] good = entry().value();
        site.consul().put(NAME, 0, record().put("fence_base", 21).toBuffer().getBytes());
        awaitStopped(gateway, "--consul-fence-base is 0 here and 21 there");
        site.consul().put(NAME, 0, good);
        awaitReady(gateway);
        worksAt(gateway);
    }

    @Test
    void aGatewayThatStartsWithoutConsulFindsTheDifferenceLater() {
        worksAt(site.gateway());
        Gateway late = site.gateway(Map.of("consul-fence-base", "21"), api -> {
            ((FakeConsul) api).setCutOff(true);
            return api;
        });
        late.api().setCutOff(false);
        awaitStopped(late, "--consul-fence-base is 21 here and 0 there");
        assertThat(Await.failure(late.ask(claim))).isNotNull();
    }

    /** A gateway that adopts replaces a record only once. */
    @Test
    void aGatewayThatHasAdoptedStopsLikeTheOthersTheNextTime() {
        Gateway adopting = gateway(Map.of("consul-adopt", "true"));
        worksAt(adopting);
        site.consul().put(NAME, 0, record().put("holders", "map").toBuffer().getBytes());
        awaitStopped(adopting, "--consul-holders is list here and map there");
        assertThat(record().getString("holders")).isEqualTo("map");
    }
}
