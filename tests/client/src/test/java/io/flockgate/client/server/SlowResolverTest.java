package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host name lookup that hangs: here the task that would do it never runs. */
@Tag("process")
class SlowResolverTest {
    /** Never runs its first task, and runs the others. */
    private static Executor withoutFirst(AtomicInteger tasks) {
        return task -> {
            if (tasks.incrementAndGet() > 1) {
                Thread.ofVirtual().start(task);
            }
        };
    }

    @Test
    void theNextClaimDoesNotWaitForIt() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        ConnectOptions options = ConnectOptions.defaults().ioExecutor(withoutFirst(tasks));
        try (LeaseProvider provider = Flockgate.connect(options, List.of(SharedGateway.uri(SharedGateway.get())))) {
            Lease lease = provider.lease(LeaseOptions.named("slow-resolver")
                    .ttl(Duration.ofSeconds(60))
                    .requestTimeout(Duration.ofSeconds(1))
                    .build());
            assertThatThrownBy(() -> lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isNotNull();
            assertThat(tasks).hasValue(1);
            assertThat(lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
