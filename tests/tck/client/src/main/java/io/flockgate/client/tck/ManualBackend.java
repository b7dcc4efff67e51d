package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection to a server, whose faults a test controls by hand. It also records the
 * calls. Several clients of one server each have their own connection.
 *
 * <pre>{@code
 * ManualEnvironment clock = new ManualEnvironment();
 * MemoryBackend server = new MemoryBackend(clock.environment());
 * ManualBackend backend = new ManualBackend(server);
 * LeaseProvider leases = Flockgate.provider(backend, clock.environment());
 * …
 * backend.cut();                            // renewals fail from now on,
 * clock.advance(Duration.ofSeconds(30));    // and leases expire;
 * server.revoke("job");                     // an operator ends a grant
 * }</pre>
 *
 * Safe from any thread.
 */
public class ManualBackend implements LeaseBackend {
    /** An answer instead of the server's, possibly one that breaks the contract of a back end. */
    @FunctionalInterface
    public interface Fault {
        /** Returns the answer to one call, or throws. */
        <T> CompletionStage<T> answer();
    }

    private static final long PATIENCE_SECONDS = 20;

    private final LeaseBackend server;
    private final List<Duration> ttls = new CopyOnWriteArrayList<>();
    private final AtomicInteger renewals = new AtomicInteger();
    private final Semaphore queued = new Semaphore(0);
    private final Semaphore releases = new Semaphore(0);
    private final AtomicInteger failures = new AtomicInteger();
    private volatile @Nullable Fault fault;
    private volatile CompletableFuture<@Nullable Void> gate = CompletableFuture.completedFuture(null);
    private volatile boolean wholeSeconds;

    /** A connection without faults. Closing it closes the server's back end. */
    public ManualBackend(LeaseBackend server) {
        this.server = server;
    }

    /** Fails every call with an unknown result, and drops notifications of losses. */
    public void cut() {
        answerBy(ManualBackend::unavailable);
    }

    /** Answers every call with the fault. No call reaches the server, and no loss is reported. */
    public void answerBy(Fault answer) {
        fault = answer;
    }

    /** Fails this number of calls with an unknown result. They do not reach the server. */
    public void failNext(int calls) {
        failures.set(calls);
    }

    /** Ends {@link #cut}, {@link #answerBy} and {@link #failNext}. */
    public void mend() {
        fault = null;
        failures.set(0);
    }

    /** Holds further calls back from the server until {@link #sendHeldCalls}. */
    public void holdCalls() {
        gate = new CompletableFuture<>();
    }

    /** Lets the held calls reach the server, in any order, as well as further calls. */
    public void sendHeldCalls() {
        gate.complete(null);
    }

    /** Refuses times to live that are not whole seconds. */
    public void countWholeSeconds() {
        wholeSeconds = true;
    }

    /**
     * Waits until one more claim has queued at a server that, like one in memory, answers all other
     * claims at once.
     */
    public void awaitQueued() throws InterruptedException {
        assertThat(queued.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("a claim has joined the queue")
                .isTrue();
    }

    /** Waits until one more release was sent, even if it failed or is held. */
    public void awaitRelease() throws InterruptedException {
        assertThat(releases.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("a release was sent")
                .isTrue();
    }

    /** The number of renewals that were sent. */
    public int renewals() {
        return renewals.get();
    }

    /** The times to live of the claims that were sent. */
    public List<Duration> ttls() {
        return List.copyOf(ttls);
    }

    private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> call) {
        Fault present = fault;
        if (present != null) {
            return present.answer();
        }
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return unavailable();
        }
        CompletableFuture<@Nullable Void> open = gate;
        return open.isDone() ? call.get() : open.thenCompose(sent -> call.get());
    }

    private static <T> CompletionStage<T> unavailable() {
        return CompletableFuture.failedStage(new LeaseUnavailableException("failed by the test", true, null));
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        ttls.add(request.ttl());
        return send(() -> {
            CompletionStage<AcquireResult> answer = server.acquire(request, abandoned);
            if (!answer.toCompletableFuture().isDone()) {
                queued.release();
            }
            return answer;
        });
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        renewals.incrementAndGet();
        return send(() -> server.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        try {
            return send(() -> server.release(request));
        } finally {
            releases.release();
        }
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        return server.onLoss(grant, loss -> {
            if (fault == null) {
                listener.accept(loss);
            }
        });
    }

    @Override
    public String clientName() {
        return server.clientName();
    }

    @Override
    public String servers() {
        return server.servers();
    }

    @Override
    public String serverOf(GrantRequest grant) {
        return server.serverOf(grant);
    }

    @Override
    public void check(LeaseOptions options) {
        if (wholeSeconds && options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException("this server counts whole seconds");
        }
        server.check(options);
    }

    @Override
    public void close() {
        server.close();
    }
}
