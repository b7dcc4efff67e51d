package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualEnvironment;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A back end in memory whose clock a test moves, and which fails or is late on demand. */
final class FakeServer implements LeaseBackend {
    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend memory = new MemoryBackend(clock.environment());
    private final List<Runnable> answers = new ArrayList<>();
    private int failures;
    private int renewals;
    private boolean late;
    private boolean seconds;
    private Duration lastTtl = Duration.ZERO;

    /** The wall clock that the test moves. */
    Clock clock() {
        return clock.environment().wallClock().withZone(ZoneOffset.UTC);
    }

    void pass(Duration time) {
        clock.advance(time);
    }

    void cut() {
        failures = Integer.MAX_VALUE;
    }

    void failOnce() {
        failures = 1;
    }

    void holdAnswers() {
        late = true;
    }

    void sendAnswers() {
        late = false;
        answers.forEach(Runnable::run);
    }

    void countSeconds() {
        seconds = true;
    }

    int renewals() {
        return renewals;
    }

    Duration lastTtl() {
        return lastTtl;
    }

    private <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> call) {
        if (failures > 0) {
            failures--;
            return CompletableFuture.failedStage(new LeaseUnavailableException("failed by the test", true, null));
        }
        CompletionStage<T> answer = call.get();
        if (!late) {
            return answer;
        }
        CompletableFuture<T> held = new CompletableFuture<>();
        answers.add(() -> answer.thenAccept(held::complete));
        return held;
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        lastTtl = request.ttl();
        return answer(() -> memory.acquire(request));
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        renewals++;
        return answer(() -> memory.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return answer(() -> memory.release(request));
    }

    @Override
    public void check(LeaseOptions options) {
        if (seconds && options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException("this server counts seconds");
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
