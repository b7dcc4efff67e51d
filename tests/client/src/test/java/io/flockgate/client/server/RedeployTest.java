package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaderElection;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import io.flockgate.testsupport.Polling;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A web application that brings the client, and is deployed again and again. */
@Tag("process")
class RedeployTest {
    private static final int DEPLOYMENTS = 5;

    /** Loaded by the class loader of the application. */
    public static final class Application implements Callable<Boolean> {
        private final URI server;

        public Application(String server) {
            this.server = URI.create(server);
        }

        @Override
        public Boolean call() throws Exception {
            try (LeaseProvider memory = Flockgate.inMemory();
                    LeaseProvider leases = Flockgate.connect(server);
                    LeaseBackend backend = Flockgate.backend(ConnectOptions.defaults(), List.of(server));
                    FlockgateLockProvider locks = new FlockgateLockProvider(backend);
                    LeaderElection candidate = LeaderElection.start(leases, "redeployed-leader", grant -> {});
                    Lease held = leases.lease("redeployed");
                    Lease waiter = leases.lease("redeployed");
                    Lease own = memory.lease("own")) {
                boolean done = held.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS)
                        && own.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS);
                var unused = waiter.acquire(Duration.ofMinutes(1));
                locks.lock(new LockConfiguration(
                                Instant.now(), "redeployed-task", Duration.ofMinutes(1), Duration.ZERO))
                        .orElseThrow()
                        .unlock();
                return done && candidate.name().equals("redeployed-leader");
            }
        }
    }

    private static WeakReference<ClassLoader> deployment(String server) throws Exception {
        URL[] path = {
            origin(Flockgate.class),
            origin(FlockgateLockProvider.class),
            origin(LockConfiguration.class),
            origin(Application.class)
        };
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Object application = loader.loadClass(Application.class.getName())
                    .getConstructor(String.class)
                    .newInstance(server);
            assertThat(((Callable<?>) application).call()).isEqualTo(true);
            return new WeakReference<>(loader);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL origin(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void leavesNothingBehindThatKeepsItsClasses() throws Exception {
        String server = SharedGateway.uri(SharedGateway.get()).toString();
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < DEPLOYMENTS; i++) {
            loaders.add(deployment(server));
        }
        // Java remembers the types of the last record that it compared, by a soft reference.
        var unused = deployment(server);

        Polling.until("all class loaders are collected", () -> {
            System.gc();
            return loaders.stream().allMatch(loader -> loader.refersTo(null));
        });
    }
}
