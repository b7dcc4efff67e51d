package io.flockgate.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.metrics.GatewayMetrics.GaugeSources;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetLockMetersTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    /** A roster with one member that joined at noon. */
    private record OneMember(Optional<String> failure) implements RosterStorage {
        @Override
        public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<DepartureOutcome> leave(String group, Departure departure) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Map<String, Roster>> readAll() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Roster> read(String group) {
            return Future.succeededFuture(Roster.EMPTY
                    .join(new Newcomer("a", ""), new Terms(1, true), "node", NOON)
                    .after());
        }

        @Override
        public Future<Roster> pause(String group, String reason) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Roster> resume(String group) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> failureReason() {
            return failure;
        }

        @Override
        public Future<Void> close() {
            return Future.succeededFuture();
        }
    }

    /** A fleet of one group with one slot, 90 minutes after noon. */
    static FleetLockMeters fleet(GatewayMetrics metrics, Optional<String> failure) {
        return metrics.fleetLock(new FleetLockMeters.RosterSources(
                List.of(new FleetLockMeters.Group("g", 1, () -> true)),
                new OneMember(failure),
                () -> NOON.plusSeconds(5400),
                Duration.ofHours(1)));
    }

    @ParameterizedTest
    @CsvSource({", 1.0", "the disk is full, 0.0"})
    void familiesAreThoseThatDashboardsKnow(@Nullable String failure, String writable) {
        Vertx vertx = Vertx.vertx();
        GaugeSources sources = new GaugeSources(new PagedKeys(List.of(), 1), () -> true, () -> 0, () -> 0, () -> 0);
        try (GatewayMetrics metrics = new GatewayMetrics(vertx, sources)) {
            FleetLockMeters meters = fleet(metrics, Optional.ofNullable(failure));
            meters.answered("g", "pre_reboot", "backend_unavailable");
            meters.forced();
            String text = metrics.scrape().await().toString(UTF_8);

            assertThat(text)
                    .contains(
                            "flockgate_fleetlock_backend_errors_total 1.0",
                            "flockgate_fleetlock_force_unlocks_total 1.0",
                            "flockgate_fleetlock_held{group=\"g\"} 1.0",
                            "flockgate_fleetlock_oldest_hold_seconds{group=\"g\"} 5400.0",
                            "flockgate_fleetlock_stale_holders{group=\"g\"} 1.0",
                            "flockgate_fleetlock_writable " + writable + "\n");
            assertThat(Exposition.parse(text).families()).containsAllEntriesOf(Families.OF_FLEETLOCK);
        } finally {
            vertx.close().await();
        }
    }
}
