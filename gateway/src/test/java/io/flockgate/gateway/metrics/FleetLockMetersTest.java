package io.flockgate.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.stats.PagedKeys;
import io.flockgate.options.OptionValues;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetLockMetersTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    /** A roster with one member that joined at noon, which nothing can change. */
    private static final class OneMember implements RosterStore {
        @Override
        public Map<String, RosterDocument> readAll() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Stored read(String group) {
            Roster roster = Roster.EMPTY
                    .join(new Newcomer("a", ""), new Terms(1, true), "node", NOON)
                    .after();
            return new Stored(new RosterDocument(1, "node", 1, roster), 1);
        }

        @Override
        public boolean write(String group, RosterDocument document, long version) {
            throw new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "the disk is full");
        }

        @Override
        public void close() {}
    }

    /** A fleet of one group with one slot, 90 minutes after noon. */
    static FleetLockMeters fleet(GatewayMetrics metrics, RosterStorage rosters) {
        List<FleetLockGroup> groups = List.of(new FleetLockGroup("g", 1, List.of()));
        FleetLockConfig config = new FleetLockConfig(groups, "", Duration.ofHours(1));
        return metrics.fleetLock(config, rosters, () -> NOON.plusSeconds(5400));
    }

    static RosterStorage oneMember(Vertx vertx) {
        RosterSettings settings = new RosterSettings(vertx, () -> NOON, "node", OptionValues.DEFAULTS);
        return new RosterStorage(new OneMember(), settings, Runnable::run);
    }

    @ParameterizedTest
    @CsvSource({"false, 1.0", "true, 0.0"})
    void metersShowTheRosterAndWhetherItCanBeWritten(boolean afterAFailure, String writable) {
        Vertx vertx = Vertx.vertx();
        PagedKeys keys = new PagedKeys(List.of(), 1);
        try (GatewayMetrics metrics = new GatewayMetrics(vertx, keys, () -> true, () -> 0, new Gate(Map.of()))) {
            RosterStorage rosters = oneMember(vertx);
            if (afterAFailure) {
                assertThat(rosters.join("g", new Newcomer("b", ""), new Terms(2, true))
                                .failed())
                        .isTrue();
            }
            FleetLockMeters meters = fleet(metrics, rosters);
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
        } finally {
            vertx.close().await();
        }
    }
}
