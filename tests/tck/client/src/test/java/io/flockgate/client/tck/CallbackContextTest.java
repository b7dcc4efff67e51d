package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseEnvironment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The client's own threads know nothing of the thread that was the first to need them. */
final class CallbackContextTest {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    private record Context(String user, ClassLoader loader) {
        static Context here() {
            return new Context(
                    String.valueOf(USER.get()), Thread.currentThread().getContextClassLoader());
        }
    }

    private static void assertRunsAsTheClient(Consumer<Runnable> start) throws Exception {
        CompletableFuture<Context> seen = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            USER.set("alice");
            Thread.currentThread().setContextClassLoader(new ClassLoader(null) {});
            start.accept(() -> seen.complete(Context.here()));
        });
        caller.start();
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(new Context("null", Flockgate.class.getClassLoader()));
        caller.join();
    }

    @Test
    void neitherCallbacksNorTimersRunAsWhoeverStartedThem() throws Exception {
        LeaseEnvironment environment = LeaseEnvironment.system();

        assertRunsAsTheClient(environment.callbackExecutor()::execute);
        assertRunsAsTheClient(task -> {
            var unused = environment.timers().after(Duration.ZERO, task);
        });
    }
}
