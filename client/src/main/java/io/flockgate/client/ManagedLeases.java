package io.flockgate.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The leases over one back end, until it is closed. */
final class ManagedLeases implements LeaseProvider {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final LeaseBackend backend;
    private final LeaseEnvironment environment;
    private final Set<ManagedLease> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ManagedLeases(LeaseBackend backend, LeaseEnvironment environment) {
        this.backend = backend;
        this.environment = environment;
    }

    @Override
    public Lease lease(LeaseOptions options) {
        backend.check(options);
        LeaseSetup setup = new LeaseSetup(backend, environment, options, Owners.of(options));
        ManagedLease lease = new ManagedLease(setup, open::remove);
        open.add(lease);
        if (closed) {
            lease.closeAsync();
            throw new LeaseClosedException("the provider of leases is closed");
        }
        return lease;
    }

    @Override
    public void close() {
        closed = true;
        try {
            List<CompletableFuture<?>> ends = open.stream()
                    .<CompletableFuture<?>>map(ManagedLease::closeFuture)
                    .toList();
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            // A slot that is not given back is free when its time is over.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            backend.close();
        }
    }
}
