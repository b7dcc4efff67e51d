package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The thread that runs a handler is that of the client, and knows nothing of the one that started
 * it.
 */
final class CallbackContextTest {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    private record Context(String user, ClassLoader loader) {
        static Context here() {
            return new Context(
                    String.valueOf(USER.get()), Thread.currentThread().getContextClassLoader());
        }
    }

    /** The context that the task finds on threads that this user is the first to need. */
    private static Context seenBy(String user, Consumer<Consumer<Context>> task) throws Exception {
        CompletableFuture<Context> seen = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            USER.set(user);
            Thread.currentThread().setContextClassLoader(new ClassLoader(null) {});
            task.accept(seen::complete);
        });
        caller.start();
        Context context = seen.get(30, TimeUnit.SECONDS);
        caller.join();
        return context;
    }

    @Test
    void aHandlerDoesNotRunAsWhoeverReleasedTheLock() throws Exception {
        LeaseEnvironment environment = LeaseEnvironment.system();
        MemoryBackend backend = new MemoryBackend(environment);
        AtomicReference<Consumer<Context>> told = new AtomicReference<>();
        try (LeaseProvider leases = Flockgate.provider(backend, environment)) {
            Lease lease = leases.lease("job");
            lease.onLost(event -> told.get().accept(Context.here()));
            assertThat(lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isTrue();

            Context context = seenBy("alice", tell -> {
                told.set(tell);
                backend.revoke("job");
            });

            assertThat(context).isEqualTo(new Context("null", Flockgate.class.getClassLoader()));
        }
    }

    @Test
    void aTimerDoesNotRunAsWhoeverSetIt() throws Exception {
        LeaseEnvironment environment = LeaseEnvironment.system();

        Context context = seenBy("alice", tell -> {
            var unused = environment.timers().after(Duration.ZERO, () -> tell.accept(Context.here()));
        });

        assertThat(context).isEqualTo(new Context("null", Flockgate.class.getClassLoader()));
    }
}
