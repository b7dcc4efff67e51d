package io.flockgate.storage.consul.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.api.FakeConsul;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.ForwardingEnvironment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Other gateways grant a slot as soon as its session ends, so its claimant is notified first. */
@Execution(ExecutionMode.CONCURRENT)
class GivenUpSessionTest {
    private final FakeConsul consul = new FakeConsul();

    /** The number of runs of the thread that ends sessions. */
    private final AtomicInteger ended = new AtomicInteger();

    private final List<Boolean> lived = new CopyOnWriteArrayList<>();

    private final Environment environment = new ForwardingEnvironment(new SystemEnvironment(new FakeClock()::nanos)) {
        @Override
        public Timer repeat(String name, long nanos, Runnable task) {
            return super.repeat(name, nanos, () -> {
                task.run();
                ended.addAndGet(name.equals("consul-ended-sessions") ? 1 : 0);
            });
        }
    };

    /**
     * Notifies claimants slowly. Meanwhile a new session is created, and the thread that ends old
     * ones runs.
     */
    private void tell(Set<String> ids) {
        Polling.until("there is a new session", () -> consul.sessions().stream().anyMatch(each -> !ids.contains(each)));
        int before = ended.get();
        Polling.until("sessions could have ended", () -> ended.get() >= before + 3);
        lived.add(consul.sessions().containsAll(ids));
    }

    @Test
    void aSessionThatIsGivenUpEndsWhenAllAreTold() {
        Duration ttl = Duration.ofSeconds(10);
        try (Sessions slow = new Sessions(environment, consul.another(), "slow", ttl, () -> {}, this::tell)) {
            slow.start();
            String own = slow.lockSession();

            slow.giveUpAll();

            assertThat(lived).containsExactly(true);
            Polling.until("it ends", () -> !consul.sessions().contains(own));
        }
    }
}
