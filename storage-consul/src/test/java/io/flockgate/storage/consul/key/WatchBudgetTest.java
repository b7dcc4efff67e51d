package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.key.WatchBudget.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchBudgetTest {
    private final FakeClock clock = new FakeClock();
    private final WatchBudget budget = new WatchBudget(new SystemEnvironment(clock::nanos), 8);
    private final List<Watch> revoked = new ArrayList<>();
    private final List<Watch> running = new ArrayList<>();

    private Watch watch() {
        return new Watch() {
            @Override
            public void revoke() {
                revoked.add(this);
            }
        };
    }

    private void fill() {
        for (int i = 0; i < 8; i++) {
            Watch each = watch();
            assertThat(budget.take(each)).isTrue();
            running.add(each);
        }
    }

    @Test
    void aKeyBeyondTheMaximumLacksAWatchUntilOneEnds() {
        fill();
        Watch another = watch();

        assertThat(budget.take(another)).isFalse();
        assertThat(budget.isShort()).isTrue();

        budget.giveBack(running.getFirst());
        assertThat(budget.take(another)).isTrue();
        assertThat(budget.isShort()).isFalse();

        Watch last = watch();
        assertThat(budget.take(last)).isFalse();
        budget.giveBack(last);
        assertThat(budget.isShort()).isFalse();
    }

    @Test
    void aRefusedConnectionEndsTheNewestWatches() {
        fill();

        budget.refused();

        assertThat(revoked).containsExactly(running.get(7), running.get(6));
        assertThat(budget.isShort()).isTrue();
        assertThat(budget.take(running.get(6))).isFalse();
        budget.refused();
        assertThat(revoked).hasSize(2);
        clock.advance(Duration.ofSeconds(1));
        budget.refused();
        assertThat(revoked).hasSize(4);
    }

    @Test
    void watchesGrowAgainAfterAWhile() {
        fill();
        budget.refused();

        clock.advance(Duration.ofSeconds(10));
        assertThat(budget.take(running.get(6))).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(budget.take(running.get(6))).isTrue();
        assertThat(budget.take(running.get(7))).isFalse();
        clock.advance(Duration.ofSeconds(60));
        assertThat(budget.take(running.get(7))).isTrue();
        assertThat(budget.take(watch())).isFalse();
    }
}
