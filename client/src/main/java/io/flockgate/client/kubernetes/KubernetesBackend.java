package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.concurrent.Threads;
import io.flockgate.consul.json.JsonException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Leases kept as {@code coordination.k8s.io/v1} Lease objects of Kubernetes. No server of Flockgate is needed.
 *
 * <ul>
 *   <li>One holder at a time: the limit is 1. The ttl is in whole seconds. The fence is {@code leaseTransitions}.
 *   <li>No two machines' clocks are compared. The lease of a dead holder passes on when this process has seen the record unchanged for its
 *       whole duration. So a claim without a wait, the first that sees such an object, gets a no.
 *   <li>There is no queue. Who waits reads the object again, about every twentieth of the ttl, from 0.1 to 1 second.
 *   <li>Other software that elects leaders by such objects, like the Go client's leader election, competes as an equal,
 *       if our ttl is at most its lease duration: some of it waits for its own duration and not for that of the holder.
 *   <li>A name that is no name of an object gets one with a hash; the object's annotation {@code flockgate.io/name} has the name.
 *   <li>Do not delete the objects: the fences of a new object begin again at 1.
 * </ul>
 *
 * <p>The role of the service account needs {@code get}, {@code create} and {@code update} of {@code leases}. Requests run on virtual threads
 * where the JVM has them. Safe from any thread.
 */
public final class KubernetesBackend implements LeaseBackend {
    private final LeaseEnvironment environment;
    private final Executor executor = Threads.perTask("flockgate-client-kubernetes");
    private final LeaseApi api;
    private final Observations observations = new Observations();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Pauses pauses;
    private final GrantCalls grants;

    /** A back end that connects when it is first used. */
    public KubernetesBackend(KubernetesOptions options) {
        this.environment = options.environment();
        this.api = new LeaseApi(options, executor);
        this.pauses = new Pauses(environment, closed);
        this.grants = new GrantCalls(api, pauses, environment.wallClock());
    }

    /** Leases of a cluster. Nothing is sent before the first lease is used. */
    public static LeaseProvider connect(KubernetesOptions options) {
        return LeaseBackend.provider(new KubernetesBackend(options), options.environment());
    }

    @Override
    public void check(LeaseOptions options) {
        if (options.limit() != 1) {
            throw new LeaseConfigException(
                    "a lease of Kubernetes has one holder: a limit of " + options.limit() + " cannot be had");
        }
        if (options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException(
                    "Kubernetes counts whole seconds: a ttl of " + options.ttl() + " cannot be asked for");
        }
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        return call(() -> new Claim(api, observations, grants, pauses, environment.wallClock(), request).run());
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return call(() -> grants.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return call(() -> grants.release(request));
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws InterruptedException;
    }

    private <T> CompletionStage<T> call(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            executor.execute(() -> run(work, result));
        } catch (RejectedExecutionException shutDown) {
            result.completeExceptionally(new LeaseClosedException("the client is closed"));
        }
        return result;
    }

    private <T> void run(Work<T> work, CompletableFuture<T> result) {
        try {
            pauses.checkOpen();
            result.complete(work.run());
        } catch (JsonException odd) {
            result.completeExceptionally(new LeaseUnavailableException(
                    "the lease in Kubernetes is malformed: " + odd.getMessage(), true, odd));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            result.completeExceptionally(new LeaseUnavailableException("the client's thread was ended", true, null));
        } catch (Throwable failure) {
            result.completeExceptionally(failure);
        }
    }

    /** Ends all waits. Requests that are under way end with their answers. */
    @Override
    public void close() {
        closed.complete(null);
    }
}
