package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SchedulerTest {
    @Test
    void anErrorThatNobodyCaughtReachesTheThreadsHandler() throws Exception {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        Error error = new AssertionError("unexpected");
        try (Scheduler scheduler = Scheduler.of(Thread.ofPlatform()
                .daemon()
                .uncaughtExceptionHandler((thread, failure) -> reported.complete(failure))
                .factory())) {
            scheduler.schedule(
                    () -> {
                        throw error;
                    },
                    0);
            assertThat(reported.get(10, TimeUnit.SECONDS)).isSameAs(error);
        }
    }
}
