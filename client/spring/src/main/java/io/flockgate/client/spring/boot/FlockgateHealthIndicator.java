package io.flockgate.client.spring.boot;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Checks the path to the server by acquiring and releasing the lease {@value #NAME}. The name is
 * the same in all processes, so that a back end that keeps a record of each name keeps only one.
 * Claims with a wait, which opens a connection of its own as the application's claims do, because
 * one that is open proves nothing about certificates. Waits for at most 14 seconds.
 */
public final class FlockgateHealthIndicator extends AbstractHealthIndicator {
    /** The name of the lease. */
    public static final String NAME = "health/probe";

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration TTL = Duration.ofSeconds(15);

    private final Lease probe;
    private final Duration patience;

    /** The health of the server behind these leases. */
    public FlockgateHealthIndicator(LeaseProvider leases) {
        super("no lease from the server of Flockgate");
        LeaseOptions options = LeaseOptions.named(NAME).ttl(TTL).build();
        this.probe = leases.lease(options);
        this.patience = options.requestTimeout().plusSeconds(2).plus(WAIT);
    }

    /** Reports up even if another check holds the lease, because the server has answered. */
    @Override
    protected void doHealthCheck(Health.Builder health) throws Exception {
        await(probe.acquire(WAIT));
        await(probe.release());
        health.up();
    }

    private <T> void await(CompletionStage<T> stage) throws Exception {
        try {
            stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }
}
