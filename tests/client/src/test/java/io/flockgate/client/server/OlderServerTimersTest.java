package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Scheduler;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.Subscription;
import io.flockgate.testsupport.FaultyLink;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Timers of grants that end with their connection. */
@Tag("process")
class OlderServerTimersTest {
    private static final Duration TTL = Duration.ofMinutes(10);

    /** Records the timers of a minute and more that have not been closed. */
    private static Scheduler noting(Set<Object> longTimers, Scheduler real) {
        return (delay, task) -> {
            if (delay.compareTo(Duration.ofMinutes(1)) < 0) {
                return real.after(delay, task);
            }
            Object timer = new Object();
            longTimers.add(timer);
            Subscription subscription = real.after(delay, task);
            return () -> {
                longTimers.remove(timer);
                subscription.close();
            };
        };
    }

    @Test
    void aReleasedGrantLeavesNone() throws Exception {
        Set<Object> longTimers = ConcurrentHashMap.newKeySet();
        LeaseEnvironment system = LeaseEnvironment.system();
        LeaseEnvironment environment = new LeaseEnvironment(
                system.ticker(),
                system.wallClock(),
                noting(longTimers, system.scheduler()),
                system.callbackExecutor(),
                system.random());
        try (FaultyLink link = SharedGateway.older(SharedGateway.get().port());
                LeaseProvider provider = Flockgate.connect(
                        ConnectOptions.defaults().environment(environment), List.of(link.uri("flockgate")))) {
            Lease lease =
                    provider.lease(LeaseOptions.named("older-timers").ttl(TTL).build());
            for (int n = 0; n < 20; n++) {
                assertThat(lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                        .isTrue();
                lease.release().toCompletableFuture().get(30, TimeUnit.SECONDS);
            }
            assertThat(longTimers).isEmpty();
        }
    }
}
