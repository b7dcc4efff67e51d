package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.Subscription;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Timers of claims and grants that have ended. They keep a thread, and so the client's classes. */
@Tag("process")
class TimersTest {
    private static final Duration TTL = Duration.ofMinutes(10);

    private final Set<Object> longTimers = ConcurrentHashMap.newKeySet();

    /** A provider that records its timers of a minute and more that have not been closed. */
    private LeaseProvider connect(URI server) {
        LeaseEnvironment system = LeaseEnvironment.system();
        LeaseEnvironment environment = new LeaseEnvironment(
                noting(system.timers()), system.wallClock(), system.callbackExecutor(), system.random());
        return Flockgate.connect(ConnectOptions.defaults().environment(environment), List.of(server));
    }

    private Timers noting(Timers real) {
        return new Timers() {
            @Override
            public long nanos() {
                return real.nanos();
            }

            @Override
            public Subscription after(Duration delay, Runnable task) {
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
            }
        };
    }

    @Test
    void aReleasedGrantOfAnOlderServerLeavesNone() throws Exception {
        try (FaultyLink link = SharedGateway.older(SharedGateway.get().port());
                LeaseProvider provider = connect(link.uri("flockgate"))) {
            Lease lease =
                    provider.lease(LeaseOptions.named("older-timers").ttl(TTL).build());
            for (int n = 0; n < 20; n++) {
                assertThat(get(lease.acquire())).isTrue();
                get(lease.release());
            }
            assertThat(longTimers).isEmpty();
        }
    }

    @Test
    void aWithdrawnClaimLeavesNone() throws Exception {
        try (LineClient holder = SharedGateway.get().client();
                LineClient observer = SharedGateway.get().client();
                LeaseProvider provider = connect(SharedGateway.uri(SharedGateway.get()))) {
            holder.lock("withdrawn-timers");
            Lease lease = provider.lease(LeaseOptions.named("withdrawn-timers")
                    .ttl(TTL)
                    .requestTimeout(Duration.ofMinutes(2))
                    .build());
            var claim = lease.acquire(Duration.ofMinutes(5)).toCompletableFuture();
            observer.awaitWaiters("withdrawn-timers", 1);

            claim.cancel(true);
            get(lease.release());

            Polling.until("no timer is left", longTimers::isEmpty);
        }
    }
}
