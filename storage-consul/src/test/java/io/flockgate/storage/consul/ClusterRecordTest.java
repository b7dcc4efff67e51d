package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import io.vertx.core.json.JsonObject;
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
                .hasMessageContaining("stop all gateways, and delete the record");
        worksAt(first);
        assertThat(site.consul().sessions()).hasSize(1);
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
}
