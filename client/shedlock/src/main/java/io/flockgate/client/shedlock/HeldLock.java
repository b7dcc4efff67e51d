package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LostEvent;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A grant from its lock to its unlock or end, which only extensions prolong. Safe from any thread.
 */
final class HeldLock implements LeaseGrant {
    private final String name;
    private final Granted granted;
    private final Timers timers;
    private final CompletableFuture<LostEvent> lost = new CompletableFuture<>();

    /** Completes with the unlock, or when the lock is known to have ended. */
    final CompletableFuture<Void> over = new CompletableFuture<>();

    private volatile long end;

    HeldLock(String name, Granted granted, Timers timers) {
        this.name = name;
        this.granted = granted;
        this.timers = timers;
    }

    String name() {
        return name;
    }

    /** The server has granted this time for a request that was sent at this moment. */
    void grantedFor(long sent, Duration time) {
        end = sent + time.toNanos();
    }

    @Override
    public String token() {
        return granted.token();
    }

    @Override
    public OptionalLong fence() {
        return granted.fence();
    }

    @Override
    public boolean isAlive() {
        return !over.isDone() && !remaining().isZero();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, end - timers.nanos()));
    }

    @Override
    public CompletionStage<LostEvent> lost() {
        return lost.minimalCompletionStage();
    }

    void lose(LostEvent event) {
        lost.complete(event);
    }

    /** Renews nothing: ShedLock extends its locks itself. */
    @Override
    public CompletionStage<Boolean> ensure(Duration atLeast) {
        return CompletableFuture.completedStage(remaining().compareTo(atLeast) >= 0);
    }

    @Override
    public String toString() {
        return "lock " + name;
    }
}
