package io.flockgate.client.kubernetes;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Subscription;
import io.flockgate.client.kubernetes.LeaseClaim.Observations;
import io.flockgate.client.kubernetes.LeaseClaim.Turns;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.RareLog;
import io.flockgate.client.support.Seconds;
import io.flockgate.client.support.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Leases kept as {@code coordination.k8s.io/v1} Lease objects of Kubernetes. No Flockgate server is
 * needed.
 *
 * <ul>
 *   <li>One holder at a time: the limit is 1. The ttl is in whole seconds. The fence is {@code
 *       leaseTransitions}.
 *   <li>No two machines' clocks are compared. The lease of a dead holder is free for others once
 *       this process has seen the record unchanged for its whole duration. A claim without a wait
 *       that is the first to see such an object therefore gets a negative answer.
 *   <li>There is no queue among processes. For each name, the first waiting claim of a process
 *       reads the object again about every twentieth of the ttl, from 0.1 to 1 second.
 *   <li>Other software that elects leaders with such objects, like the Go client's leader election,
 *       competes on equal terms if our ttl is at most its lease duration: some of it waits for its
 *       own duration and not for that of the holder.
 *   <li>A name that is not a valid object name is mapped to one with a hash; the object's
 *       annotation {@code flockgate.io/name} contains the original name.
 *   <li>Do not delete the objects, because the fences of a new object begin again at 1.
 * </ul>
 *
 * <p>The role of the service account needs {@code get}, {@code create} and {@code update} for
 * {@code leases}. Requests run on virtual threads where the JVM has them. Safe from any thread.
 *
 * {@snippet :
 * LeaseProvider leases = KubernetesBackend.connect(KubernetesOptions.inCluster());
 * }
 */
public final class KubernetesBackend implements LeaseBackend {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    private final String clientName;
    private final String server;
    private final Executor threads;
    private final LeaseEnvironment environment;
    private final RareLog waits;
    final LeaseApi api;
    final Observations observations = new Observations();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Set<CompletableFuture<?>> calls = ConcurrentHashMap.newKeySet();
    final Turns turns = new Turns();
    final GrantCalls grants;

    /** Creates a back end that connects on first use. */
    public KubernetesBackend(KubernetesOptions options) {
        ConnectOptions connection = options.connection();
        Executor given = connection.ioExecutor();
        this.clientName = connection.clientName();
        this.server = "the API server at " + options.server();
        this.threads = given == null ? Threads.perTask("flockgate-client-kubernetes") : given;
        this.api = new LeaseApi(options, threads);
        this.environment = connection.environment();
        this.waits = new RareLog(
                environment.logger("waits"), environment.timers()::nanos, 1, environment.callbackExecutor());
        this.grants = new GrantCalls(this);
    }

    /** Leases of a cluster. Nothing is sent before the first lease is used. */
    public static LeaseProvider connect(KubernetesOptions options) {
        return Flockgate.provider(
                new KubernetesBackend(options), options.connection().environment());
    }

    @Override
    public void check(LeaseOptions options) {
        if (options.limit() != 1) {
            throw new LeaseConfigException(
                    "a lease of Kubernetes has one holder: a limit of " + options.limit() + " cannot be had");
        }
        if (options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException(
                    "Kubernetes counts whole seconds: a ttl of " + Seconds.of(options.ttl()) + " cannot be asked for");
        }
    }

    @Override
    public String clientName() {
        return clientName;
    }

    @Override
    public String servers() {
        return server;
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        return call(() -> new LeaseClaim(this, request, abandoned.toCompletableFuture()).run());
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return call(() -> grants.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return call(() -> grants.release(request));
    }

    /** Runs a blocking call on a thread of its own, to its end even if a caller ends the stage. */
    @SuppressWarnings("CollectionUndefinedEquality") // each call is itself only
    private <T> CompletionStage<T> call(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        calls.add(result);
        var unused = result.whenComplete((value, failure) -> calls.remove(result));
        try {
            threads.execute(() -> run(work, result));
        } catch (RejectedExecutionException refused) {
            result.completeExceptionally(
                    new LeaseUnavailableException("the executor accepts no more calls", false, refused));
        }
        return result.copy();
    }

    private <T> void run(Callable<T> work, CompletableFuture<T> result) {
        try {
            checkOpen();
            result.complete(work.call());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            result.completeExceptionally(
                    new LeaseUnavailableException("the client's thread was interrupted", true, interrupted));
        } catch (LeaseRecord.Malformed odd) {
            result.completeExceptionally(new LeaseUnavailableException(
                    "the lease in Kubernetes is malformed, as " + server + " answers: " + odd.getMessage(), true, odd));
        } catch (Throwable failed) {
            result.completeExceptionally(failed);
        }
    }

    /** Reports a claim that waits for a server that does not answer. */
    void report(String name, String why) {
        waits.warn(() -> "lease " + name + ": the claim waits, and tries again: " + why);
    }

    long now() {
        return environment.timers().nanos();
    }

    /** The time that objects show to people and other software. */
    Instant wallTime() {
        return environment.wallClock().instant();
    }

    /**
     * The pause before a request is sent again: at least as long as the server requests, and longer
     * with each failure.
     */
    Duration afterFailure(ApiAnswer.Failed failed, int failures) {
        Duration own = BACKOFF.after(failures, environment.random());
        return own.compareTo(failed.retryAfter()) > 0 ? own : failed.retryAfter();
    }

    /**
     * A random pause between half and one and a half times this time, so that clients do not ask at
     * the same time.
     */
    Duration varied(Duration about) {
        return Backoff.varied(about, environment.random());
    }

    /**
     * Waits for this time, or until the future completes.
     *
     * @throws LeaseClosedException if the back end is closed
     */
    void pause(Duration time, CompletableFuture<?> end) throws InterruptedException {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Subscription timer = environment.timers().after(time, () -> over.complete(null));
        try {
            Object unused = CompletableFuture.anyOf(over, end, closed).get();
        } catch (ExecutionException failed) {
            // Only the end of the wait matters.
        } finally {
            timer.close();
        }
        checkOpen();
    }

    private void checkOpen() {
        if (closed.isDone()) {
            throw new LeaseClosedException("the client is closed");
        }
    }

    /**
     * Ends all waits. Requests that are under way end with their answers; then the connections end.
     */
    @Override
    public void close() {
        closed.complete(null);
        var unused = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .whenComplete((ended, failure) -> api.close());
    }
}
