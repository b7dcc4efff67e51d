package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways know which others are alive: those whose sessions hold their entries. */
@Execution(ExecutionMode.CONCURRENT)
class GatewayRegisterTest {
    private static final String NAMES = StandIns.GATEWAYS;
    private static final String NEWER = NAMES + "gw-z-00000002";

    private final StandIns site = new StandIns();
    private final Gateway one = gateway("gw-a");
    private final Gateway two = gateway("gw-b");
    private List<String> living = List.of();

    private Gateway gateway(String name) {
        return site.gateway(Map.of("node-name", name, "consul-session-ttl", "600"));
    }

    @BeforeEach
    void awaitEntries() {
        Polling.until("both have entries", () -> names().size() == 2);
        living = names();
        site.consul().put(NEWER, 0, "{\"v\":2,\"gateway\":7,\"version\":\"\",\"since\":-1}".getBytes(UTF_8));
    }

    @AfterEach
    void close() {
        site.close();
    }

    private List<String> names() {
        return site.consul().tree(NAMES).stream().map(KvEntry::key).toList();
    }

    private static List<GatewayView> others(Gateway gateway) {
        return Await.result(gateway.storage().otherGateways());
    }

    private void awaitThoseOfTheLiving() {
        Polling.until("the entries are those of the living and the newer one", () -> {
            List<KvEntry> entries = site.consul().tree(NAMES);
            return entries.size() == 3
                    && entries.stream().allMatch(each -> each.key().equals(NEWER) || each.session() != null);
        });
        assertThat(names()).containsAll(living).contains(NEWER);
        assertThat(others(two)).extracting(GatewayView::name).containsExactly("gw-a");
        assertThat(others(one)).extracting(GatewayView::name).containsExactly("gw-b");
    }

    /** The end of a gateway's session has the same effect on its entry. */
    @Test
    void aGatewayHasGoneWhenItsSessionHasEnded() {
        String session = site.consul().createSession("other", Duration.ofMinutes(10));
        KvOp entry = new KvOp.Lock(NAMES + "gw-k,2e-00000001", 0, new byte[0], session);
        assertThat(site.consul().txn(List.of(entry)).committed()).isNotNull();
        assertThat(others(one)).contains(new GatewayView("gw-k.", "", 0, ""));
        site.consul().endSession(session);
        assertThat(others(one)).extracting(GatewayView::name).containsExactly("gw-b");
    }

    /** An entry without a session came with a snapshot or an import. */
    @Test
    void theEntryOfAGatewayThatHasGoneIsDeletedAndThatOfALivingOneIsThere() {
        KvEntry first = Objects.requireNonNull(site.consul().get(living.getFirst()));
        site.consul().put(NAMES + "gw-gone-00000001", 0, first.value());
        site.consul().delete(first.key());
        awaitThoseOfTheLiving();
    }

    @Test
    void aGatewayThatLosesItsSessionIsBackWithItsNextOne() {
        KvEntry first = Objects.requireNonNull(site.consul().get(living.getFirst()));
        site.consul().endSession(String.valueOf(first.session()));
        awaitThoseOfTheLiving();
    }
}
