package io.flockgate.client.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.consul.kv.ConsulException;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class RequestLimitTest {
    private static final long LONG = Duration.ofMinutes(1).toNanos();
    private static final CompletableFuture<Void> NEVER = new CompletableFuture<>();

    private final RequestLimit limit = new RequestLimit();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> begun = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private void fill() throws Exception {
        for (int i = 0; i < RequestLimit.MAX_REQUESTS; i++) {
            assertThat(limit.begin(false, 0, NEVER)).isTrue();
        }
    }

    private void waits(String name, boolean renews) {
        int before = limit.waiting();
        var unused = threads.submit(() -> {
            boolean begins = limit.begin(renews, LONG, NEVER);
            begun.add(begins ? name : "not " + name);
            return begins;
        });
        Polling.until(name + " waits", () -> limit.waiting() > before);
    }

    private void nextIs(String name) {
        int before = begun.size();
        limit.end();
        Polling.until("the next begins", () -> begun.size() > before);
        assertThat(begun.get(before)).isEqualTo(name);
    }

    @Test
    void renewalsGoFirstAndTheOthersInTheirOrder() throws Exception {
        fill();
        waits("one", false);
        waits("two", false);
        waits("renewal", true);
        waits("another renewal", true);
        nextIs("renewal");
        nextIs("another renewal");
        waits("three", false);
        nextIs("one");
        nextIs("two");
        nextIs("three");
    }

    @Test
    void aRequestThatGivesUpTakesNoPlace() throws Exception {
        fill();
        assertThat(limit.begin(true, 1, NEVER)).isFalse();
        assertThat(limit.begin(false, LONG, CompletableFuture.completedFuture(null)))
                .isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> limit.begin(false, LONG, NEVER)).isInstanceOf(ConsulException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(limit.waiting()).isZero();
        for (int i = 0; i < RequestLimit.MAX_REQUESTS; i++) {
            limit.end();
        }
        fill();
        assertThat(limit.begin(false, 0, NEVER)).isFalse();
    }
}
