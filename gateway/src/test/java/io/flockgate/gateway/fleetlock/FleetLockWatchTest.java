package io.flockgate.gateway.fleetlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.fleetlock.FleetLock.FleetLockEvents;
import io.flockgate.gateway.fleetlock.FleetLockAdmin.FleetLockWatch;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.options.OptionValues;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.memory.roster.MemoryRosterProvider;
import io.flockgate.testsupport.LogLines;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FleetLockWatchTest {
    private static final Terms AMPLE = new Terms(10, true);

    private final Vertx vertx = Vertx.vertx();
    private volatile Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private final RosterStorage rosters = done(new MemoryRosterProvider()
            .open(new RosterSettings(vertx, () -> now, "node-1", new OptionValues(Map.of()))));
    private final FleetLockConfig config =
            new FleetLockConfig(List.of(new FleetLockGroup("workers", 2, List.of())), "", Duration.ofHours(1));
    private final FleetLockWatch watch =
            new FleetLockWatch(new FleetLockAdmin(config, rosters, () -> now, new NoEvents()));

    private record NoEvents() implements FleetLockEvents {
        @Override
        public void answered(String group, String operation, String outcome) {}

        @Override
        public void forced() {}
    }

    @CanIgnoreReturnValue
    private static <T> T done(Future<T> future) {
        Future<T> unused = Polling.until(() -> future, Future::isComplete);
        return future.result();
    }

    @AfterEach
    void close() {
        done(rosters.close());
        done(vertx.close());
    }

    @Test
    void eachStaleSlotIsLoggedOnce() throws Exception {
        done(rosters.join("workers", new Newcomer("a", ""), AMPLE));
        try (LogLines lines = LogLines.ofAllThreads(FleetLockWatch.class)) {
            checked();
            assertThat(lines.all()).isEmpty();
            now = now.plus(Duration.ofMinutes(61));
            checked();
            checked();
            assertThat(lines.all())
                    .containsExactly("WARN a fleetlock slot is stale group=workers id=a since=2026-03-01T12:00:00Z");

            done(rosters.leave("workers", Departure.of("a")));
            checked();
            done(rosters.join("workers", new Newcomer("a", ""), AMPLE));
            now = now.plus(Duration.ofMinutes(61));
            checked();
            assertThat(lines.all()).hasSize(2);
        }
    }

    @Test
    void aGroupThatIsNotConfiguredIsLoggedOnceWhileItHasMembers() throws Exception {
        try (LogLines lines = LogLines.ofAllThreads(FleetLockWatch.class)) {
            done(rosters.pause("old", "why"));
            checked();
            assertThat(lines.all()).isEmpty();
            done(rosters.join("former", new Newcomer("a", ""), AMPLE));
            checked();
            checked();
            assertThat(lines.all())
                    .containsExactly(
                            "WARN machines hold slots of a fleetlock group that is not configured group=former held=1");
        }
    }

    /** A check reads each group, and logs on the thread of the last read. */
    private void checked() {
        done(watch.check());
    }
}
