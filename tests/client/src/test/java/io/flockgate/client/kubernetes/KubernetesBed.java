package io.flockgate.client.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An API server and a back end. The test moves the back end's clock, so deadlines pass and holders
 * age only when the test says so. Timers run in real time.
 */
final class KubernetesBed implements AfterEachCallback {
    static final Duration TTL = Duration.ofSeconds(30);
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong(1_000_000_000L);
    private final ApiServer server;
    private final LeaseBackend backend;
    private final List<LeaseBackend> real = new ArrayList<>();

    KubernetesBed() {
        try {
            server = ApiServer.start();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
        backend = backend(server.options());
    }

    ApiServer server() {
        return server;
    }

    LeaseBackend backend() {
        return backend;
    }

    /** Another client, on the same clock. */
    LeaseBackend backend(KubernetesOptions options) {
        LeaseEnvironment system = LeaseEnvironment.system();
        return new KubernetesBackend(options.connection(options.connection()
                .environment(new LeaseEnvironment(
                        new RealTimers(), () -> NOW, system.callbackExecutor(), system.random()))));
    }

    private final class RealTimers implements Timers {
        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public Subscription after(Duration delay, Runnable task) {
            return LeaseEnvironment.system().timers().after(delay, task);
        }
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    static AcquireRequest claim(String name, Duration wait) {
        return new AcquireRequest(name, 1, "me", TTL, wait, Duration.ofSeconds(5));
    }

    static AcquireRequest claim(String name) {
        return claim(name, Duration.ZERO);
    }

    /**
     * A client on the system's clocks, for deadlines that must pass. It is closed after the test.
     */
    LeaseBackend real() {
        LeaseBackend made = new KubernetesBackend(server.options());
        real.add(made);
        return made;
    }

    AcquireResult acquire(String name) throws Exception {
        return get(backend.acquire(claim(name)));
    }

    RenewResult renew(GrantRequest grant) throws Exception {
        return get(backend.renew(grant));
    }

    ReleaseResult release(GrantRequest grant) throws Exception {
        return get(backend.release(grant));
    }

    /** Acquires the lease, and returns it as a request for renewal or release. */
    GrantRequest held(String name) throws Exception {
        return grant(name, ((Granted) acquire(name)).token());
    }

    static GrantRequest grant(String name, String token) {
        return new GrantRequest(name, 1, "me", token, TTL, Duration.ofSeconds(5));
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** The spec of another client's record, which it renewed at this time by its own clock. */
    static ObjectNode foreign(long seconds, Instant renewed) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("holderIdentity", "other")
                .put("leaseDurationSeconds", seconds)
                .put("renewTime", renewed.toString().replace("Z", ".000000Z"))
                .put("leaseTransitions", 7)
                .put("strategy", "OldestEmulationVersion");
    }

    JsonNode spec(String name) {
        return server.objects().stored(name).path("spec");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        real.forEach(LeaseBackend::close);
        backend.close();
        server.close();
    }

    /** The stored holder of an object; empty for none. */
    String holder(String objectName) {
        return spec(objectName).path("holderIdentity").asText("");
    }

    static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
