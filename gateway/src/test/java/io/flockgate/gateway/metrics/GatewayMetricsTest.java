package io.flockgate.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.ScriptedStorage.FakeGrant;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GatewayMetricsTest {
    private static final String REFUSED = "flockgate_refused_total{reason=\"";
    private static final Claimant CLIENT = new Watched(7);
    private static final Claim CLAIM = new Claim(Key.of("k"), Kind.LOCK, 1, 60, false);

    private record Watched(long id) implements Claimant {
        @Override
        public void granted(Ticket ticket, Grant grant) {}

        @Override
        public void removed(Ticket ticket) {}

        @Override
        public void ended(Grant grant, Ending ending) {}
    }

    private static Grant granted(Kind kind) {
        return new FakeGrant(Key.of("k"), kind, 1, 0);
    }

    private final Vertx vertx = Vertx.vertx();
    private final Gate gate = new Gate(Map.of(Resource.CONNECTION, new Gate.Caps(1, 0)));
    private final GatewayMetrics metrics =
            new GatewayMetrics(vertx, new PagedKeys(List.of(), 2), () -> true, () -> 0, gate);

    @AfterEach
    void close() {
        metrics.close();
        vertx.close().await();
    }

    private Exposition scrape() {
        return Exposition.parse(metrics.scrape().await().toString(UTF_8));
    }

    @Test
    void aCapShowsWhatCountsUnderItUnlessItIsOff() {
        metrics.cap("max_locks", () -> 3, 4);
        metrics.cap("max_enqueued", () -> 5, 0);
        Exposition text = scrape();
        assertThat(text.value("flockgate_cap_used{cap=\"max_locks\"}")).isEqualTo(3);
        assertThat(text.value("flockgate_cap_max{cap=\"max_locks\"}")).isEqualTo(4);
        assertThat(text.has("flockgate_cap_max{cap=\"max_enqueued\"}")).isFalse();
        assertThat(text.has("flockgate_cap_used{cap=\"max_enqueued\"}")).isFalse();
    }

    @Test
    void aGrantIsCountedByKindAndByWhetherItWasWaitedFor() {
        metrics.grantedAtOnce(CLIENT, granted(Kind.LOCK));
        metrics.grantedAtOnce(CLIENT, granted(Kind.LOCK));
        metrics.grantedAtOnce(CLIENT, granted(Kind.SEMAPHORE));
        metrics.grantedAfter(CLIENT, granted(Kind.SEMAPHORE), TimeUnit.SECONDS.toNanos(3));
        Exposition text = scrape();
        assertThat(text.value("flockgate_grants_total{how=\"at_once\",kind=\"lock\"}"))
                .isEqualTo(2);
        assertThat(text.value("flockgate_grants_total{how=\"at_once\",kind=\"semaphore\"}"))
                .isOne();
        assertThat(text.value("flockgate_grants_total{how=\"waited\",kind=\"lock\"}"))
                .isZero();
        assertThat(text.value("flockgate_grants_total{how=\"waited\",kind=\"semaphore\"}"))
                .isOne();
        assertThat(text.value("flockgate_wait_seconds_sum{kind=\"semaphore\"}")).isEqualTo(3);
        assertThat(text.value("flockgate_wait_seconds_bucket{kind=\"semaphore\",le=\"1.0\"}"))
                .isZero();
        assertThat(text.value("flockgate_wait_seconds_bucket{kind=\"semaphore\",le=\"5.0\"}"))
                .isOne();
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfAGrantTellsHowLongItWasHeldAndWhetherItsLeaseRanOut(Ending ending) {
        metrics.ended(CLIENT, granted(Kind.LOCK), TimeUnit.MINUTES.toNanos(2), ending);
        Exposition text = scrape();
        assertThat(text.value("flockgate_hold_seconds_sum{kind=\"lock\"}")).isEqualTo(120);
        assertThat(text.value("flockgate_hold_seconds_bucket{kind=\"lock\",le=\"60.0\"}"))
                .isZero();
        assertThat(text.value("flockgate_hold_seconds_bucket{kind=\"lock\",le=\"3600.0\"}"))
                .isOne();
        assertThat(text.value("flockgate_hold_seconds_count{kind=\"semaphore\"}"))
                .isZero();
        assertThat(text.value("flockgate_lease_expiries_total{kind=\"lock\"}"))
                .isEqualTo(ending == Ending.EXPIRED ? 1 : 0);
    }

    @Test
    void aHandOffIsMeasuredInMicroseconds() {
        metrics.handedOver(TimeUnit.MICROSECONDS.toNanos(30));
        Exposition text = scrape();
        assertThat(text.value("flockgate_handoff_seconds_bucket{le=\"2.5E-5\"}"))
                .isZero();
        assertThat(text.value("flockgate_handoff_seconds_bucket{le=\"5.0E-5\"}"))
                .isOne();
    }

    @Test
    void refusalsAreCountedByReasonWhoeverCountsThem() {
        for (Refusal refusal : Refusal.values()) {
            metrics.refused(CLIENT, CLAIM, refusal);
        }
        for (Plain refusal : Plain.OF_SESSION) {
            metrics.refused(CLIENT, CLAIM, refusal);
        }
        metrics.refused("rate_limited");
        metrics.refused("overloaded");
        metrics.refused("a reason that a client made up");
        System.gc();
        for (int i = 0; i < 6; i++) {
            Gate.Entry unused = gate.enter(Resource.CONNECTION, "192.0.2.1");
        }
        Exposition text = scrape();
        for (String reason : List.of(
                "busy",
                "max_locks",
                "max_holders",
                "max_holders_per_client",
                "max_waiters",
                "max_enqueued",
                "max_enqueued_per_client",
                "limit_mismatch",
                "kind_mismatch")) {
            assertThat(text.value(REFUSED + reason + "\"}")).isOne();
        }
        assertThat(text.value(REFUSED + "rate_limited\"}")).isOne();
        assertThat(text.value(REFUSED + "overloaded\"}")).isOne();
        assertThat(text.value(REFUSED + "other\"}")).isOne();
        assertThat(text.value(REFUSED + "unauthorized\"}")).isZero();
        assertThat(text.value(REFUSED + "max_connections\"}")).isEqualTo(5);
        assertThat(text.value(REFUSED + "max_connections_per_ip\"}")).isZero();
    }

    @Test
    void aScrapeAfterTheEndFailsAndDoesNotHang() {
        vertx.close().await();
        assertThat(metrics.scrape().transform(Future::succeededFuture).result().failed())
                .isTrue();
    }
}
