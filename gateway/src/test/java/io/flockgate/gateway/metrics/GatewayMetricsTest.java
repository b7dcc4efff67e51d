package io.flockgate.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

    private record Granted(Key key, Kind kind, long fence, long salt, long grantedAtNanos) implements Grant {
        Granted(Kind kind) {
            this(Key.of("k"), kind, 1, 0, 0);
        }
    }

    private final Vertx vertx = Vertx.vertx();
    private final PagedKeys keys = new PagedKeys(
            List.of(
                    key("lock-one", Kind.LOCK, 1, 2),
                    key("lock-two", Kind.LOCK, 1, 0),
                    key("semaphore", Kind.SEMAPHORE, 3, 4),
                    key("semaphore-of-one", Kind.SEMAPHORE, 1, 0),
                    key("idle", Kind.LOCK, 0, 0)),
            2);
    private final AtomicBoolean ready = new AtomicBoolean(true);
    private final AtomicInteger tcpConnections = new AtomicInteger();
    private final Gate gate = new Gate(Map.of(Resource.CONNECTION, new Gate.Caps(1, 0)));
    private final GatewayMetrics metrics = new GatewayMetrics(vertx, keys, ready::get, tcpConnections::get, gate);

    private static KeySummary key(String key, Kind kind, int holders, int waiters) {
        return KeySummaries.of(Key.of(key), kind, 3, holders, waiters, 0, 0, 0, 0);
    }

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
    void gaugesAreAskedAtEachScrape() {
        assertThat(scrape().value("dflockd_ready")).isOne();
        ready.set(false);
        tcpConnections.set(5);
        gate.add(Resource.HTTP_CONNECTION, "192.0.2.1", 6);
        gate.add(Resource.SESSION, "192.0.2.1", 7);
        Exposition text = scrape();
        assertThat(text.value("dflockd_ready")).isZero();
        assertThat(text.value("dflockd_connections")).isEqualTo(12);
        assertThat(text.value("dflockd_http_sessions")).isEqualTo(7);
        assertThat(text.value("flockgate_keys{state=\"in_use\"}")).isEqualTo(3);
        assertThat(text.value("flockgate_keys{state=\"idle\"}")).isEqualTo(2);
        assertThat(text.value("flockgate_keys_max")).isEqualTo(1024);
        assertThat(text.value("flockgate_connections{protocol=\"tcp\"}")).isEqualTo(5);
        assertThat(text.value("flockgate_connections{protocol=\"http\"}")).isEqualTo(6);
        assertThat(text.value("dflockd_uptime_seconds")).isPositive();
    }

    @Test
    void aGrantIsCountedByKindAndByWhetherItWasWaitedFor() {
        metrics.grantedAtOnce(CLIENT, new Granted(Kind.LOCK));
        metrics.grantedAtOnce(CLIENT, new Granted(Kind.LOCK));
        metrics.grantedAtOnce(CLIENT, new Granted(Kind.SEMAPHORE));
        metrics.grantedAfter(CLIENT, new Granted(Kind.SEMAPHORE), TimeUnit.SECONDS.toNanos(3));
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
        metrics.ended(CLIENT, new Granted(Kind.LOCK), TimeUnit.MINUTES.toNanos(2), ending);
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
    void commandsAreReadWhereTheyAreCounted() {
        AtomicLong count = new AtomicLong();
        metrics.tcpCommands("sl", "error_max_locks", count::get);
        count.set(9);
        assertThat(scrape().value("flockgate_tcp_commands_total{command=\"sl\",outcome=\"error_max_locks\"}"))
                .isEqualTo(9);
    }

    @Test
    void httpRequestsAreCountedByMethodPatternAndStatus() {
        metrics.httpRequest("POST", "/v1/locks/{key}", 200, TimeUnit.MILLISECONDS.toNanos(250));
        metrics.httpRequest("POST", "/v1/locks/{key}", 200, TimeUnit.MILLISECONDS.toNanos(500));
        metrics.httpRequest("BREW", "unmatched", 405, 0);
        metrics.httpRequest("post", "unmatched", 405, 0);
        String post = "{method=\"POST\",path=\"/v1/locks/{key}\",status=\"200\"}";
        Exposition text = scrape();
        assertThat(text.value("dflockd_http_requests_total" + post)).isEqualTo(2);
        assertThat(text.value("dflockd_http_request_duration_seconds_count" + post))
                .isEqualTo(2);
        assertThat(text.value("dflockd_http_request_duration_seconds_sum" + post))
                .isEqualTo(0.75);
        assertThat(text.value("dflockd_http_requests_total{method=\"OTHER\",path=\"unmatched\",status=\"405\"}"))
                .isEqualTo(2);
    }

    @Test
    void aStorageThatFailsHidesNothingButItsOwnGauges() {
        keys.failFromNowOn(new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "as the test wants"));
        Exposition text = scrape();
        assertThat(text.value("dflockd_locks_held")).isNaN();
        assertThat(text.value("dflockd_semaphore_waiters")).isNaN();
        assertThat(text.value("flockgate_storage_readable")).isZero();
        assertThat(text.value("dflockd_ready")).isOne();
    }

    @Test
    void aScrapeAfterTheEndFailsAndDoesNotHang() {
        vertx.close().await();
        assertThat(metrics.scrape().transform(Future::succeededFuture).result().failed())
                .isTrue();
    }
}
