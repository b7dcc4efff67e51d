package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lease in a Vert.x application, in the way of {@code docs/guide/java-examples.md}. */
class VertxLeaseTest {
    @Test
    void theFutureCompletesOnTheContext() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (LeaseProvider leases = Flockgate.inMemory()) {
            Lease lease = leases.lease(LeaseOptions.of("report"));
            Context context = vertx.getOrCreateContext();
            Future<Boolean> acquired = Future.fromCompletionStage(lease.acquire(), context);
            Future<Boolean> onContext = acquired.map(granted -> granted && context.equals(Vertx.currentContext()));
            assertThat(get(onContext)).isTrue();
        } finally {
            get(vertx.close());
        }
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
