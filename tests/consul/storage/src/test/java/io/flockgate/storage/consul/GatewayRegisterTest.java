package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flockgate.storage.GatewayView;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways on one Consul know which others are alive: those whose sessions hold their entries. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class GatewayRegisterTest {
    private static final String NEWER = "{\"v\":2,\"gateway\":7,\"version\":\"\",\"since\":-1}";

    private static LockStorage gateway(Site site, String name) {
        return gateway(site, name, Duration.ofHours(1));
    }

    /** A gateway that has written its entry. */
    private static LockStorage gateway(Site site, String name, Duration idle) {
        LockStorage gateway = site.gateway(Map.of("node-name", name), idle);
        String value = "\"gateway\":\"" + name + "\"";
        Polling.until(
                "it has an entry",
                () -> site.operator().list(site.base() + ".gateways/").stream()
                        .anyMatch(entry ->
                                entry.session() != null && entry.value().contains(value)));
        return gateway;
    }

    private static List<GatewayView> others(LockStorage gateway) {
        return Await.result(gateway.otherGateways());
    }

    private static List<String> names(Site site) {
        return site.operator().list(site.base() + ".gateways/").stream()
                .map(entry -> entry.key().substring((site.base() + ".gateways/").length()))
                .toList();
    }

    @Test
    void bothListTheOtherOne() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            LockStorage two = gateway(site, "gw-b:6388");
            assertThat(others(one)).extracting(GatewayView::name).containsExactly("gw-b:6388");
            assertThat(others(two)).extracting(GatewayView::name).containsExactly("gw-a");
            assertThat(others(two).getFirst().version()).isEqualTo("1.2.3");
            assertThat(names(site)).hasSize(2).allMatch(name -> name.matches("gw-(a|b,3a6388)-[0-9a-f]{8}"));
        }
    }

    @Test
    void anAddressOfThePageIsTakenOnlyIfItIsOneOfTheWeb() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            String session = site.operator().session();
            String good = "https://gate-2.example:6389/";
            put(site, "gw-b-00000001", good, session);
            put(site, "gw-c-00000001", "javascript:alert(1)//https://", session);
            put(site, "gw-d-00000001", "https://" + "x".repeat(300), session);
            assertThat(others(one))
                    .extracting(GatewayView::name, GatewayView::page)
                    .containsExactlyInAnyOrder(tuple("gw-b", good), tuple("gw-c", ""), tuple("gw-d", ""));
        }
    }

    private static void put(Site site, String process, String page, String session) {
        String value = "{\"v\":1,\"page\":\"" + page + "\"}";
        assertThat(site.operator().acquire(site.base() + ".gateways/" + process, "0", session, value))
                .isTrue();
    }

    @Test
    void aGatewayTellsTheAddressOfItsPage() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            LockStorage unusedOther =
                    site.gateway(Map.of("node-name", "gw-b", "page", "http://192.0.2.7:6389/"), Duration.ofHours(1));
            Polling.until("both know each other", () -> others(one).size() == 1);
            assertThat(others(one).getFirst().page()).isEqualTo("http://192.0.2.7:6389/");
        }
    }

    @Test
    void aGatewayHasGoneWhenItsSessionHasEndedAndTheNextOneClearsItsEntry() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            String killed = site.base() + ".gateways/gw-k,2e-00000001";
            String session = site.operator().session();
            assertThat(site.operator().acquire(killed, "0", session)).isTrue();
            site.operator().put(site.base() + ".gateways/gw-z-00000002", "0", NEWER);
            assertThat(others(one)).containsExactly(new GatewayView("gw-k.", "", 0, ""));

            // The end of a gateway's session has the same effect on its entry.
            site.operator().release(killed, "0", session);
            assertThat(others(one)).isEmpty();

            assertThat(site.operator().cas(site.operator().get(killed), "{\"v\":1,\"gateway\":\"gw-k.\"}"))
                    .isTrue();
            LockStorage next = gateway(site, "gw-b");
            assertThat(others(next)).extracting(GatewayView::name).containsExactly("gw-a");
            assertThat(names(site)).hasSize(3).contains("gw-z-00000002").doesNotContain("gw-k,2e-00000001");
        }
    }

    @Test
    void aGatewayThatLosesItsSessionIsBackWithItsNextOne() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            LockStorage two = gateway(site, "gw-b");
            String name = site.base() + ".gateways/" + names(site).getFirst();
            String first = site.operator().get(name).session();
            site.operator().destroySession(String.valueOf(first));
            Polling.until(
                    "the entry has the next session",
                    () -> site.operator()
                            .find(name)
                            .filter(entry ->
                                    entry.session() != null && !entry.session().equals(first))
                            .isPresent());
            assertThat(others(two)).extracting(GatewayView::name).containsExactly("gw-a");
            assertThat(others(one)).extracting(GatewayView::name).containsExactly("gw-b");
        }
    }

    @Test
    void entriesAreNoKeysAndGoAtAnOrderlyEnd() {
        try (Site site = new Site()) {
            LockStorage one = gateway(site, "gw-a");
            LockStorage two = gateway(site, "gw-b", Duration.ofMillis(100));
            Site.Held held = site.hold(two, Site.lock(".gateways/" + names(site).getFirst()));
            Site.Held idle = site.hold(two, Site.lock("idle"));
            assertThat(idle.release()).isNotNull();
            Polling.until(
                    "the idle key is collected",
                    () -> Await.result(two.inspect(KeyQuery.all(10))).keys().size() == 1);
            assertThat(held.ending()).isNull();
            assertThat(names(site)).hasSize(2);

            Await.done(one.close());
            assertThat(names(site)).singleElement().asString().startsWith("gw-b-");
        }
    }
}
