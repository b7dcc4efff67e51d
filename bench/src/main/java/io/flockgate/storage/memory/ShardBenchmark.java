package io.flockgate.storage.memory;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.memory.fence.MemoryTokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of a shard's operations in nanoseconds a call, beside a number of keys that are held. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ShardBenchmark implements Claimant {
    private static final int LEASE_SECONDS = 3600;

    @Param({"0", "30000"})
    public int heldBeside;

    private final Claim claim = claimOf("bench");
    private final Claim contended = claimOf("contended");
    private final List<Waiter> queue = new ArrayList<>();
    private final Shard shard = new Shard(
            5,
            System::nanoTime,
            MemoryTokenGenerator.inMemory(1, Thread::new),
            new StorageLimits(1L << 40, 0, 0, 0),
            new Capacity(1L << 40),
            new Capacity(0),
            nanos -> {});
    private int next;

    private static Claim claimOf(String key) {
        return new Claim(Key.of(key), Kind.LOCK, 1, LEASE_SECONDS, true);
    }

    /** A hundred thousand wait for one key, as the worst case of leaving. */
    @Setup
    public void fill() {
        for (int i = 0; i < heldBeside; i++) {
            claim(claimOf("held_" + i));
        }
        claim(contended);
        for (int i = 0; i < 100_000; i++) {
            queue.add(queue(contended));
        }
    }

    @CanIgnoreReturnValue
    private ClaimOutcome claim(Claim wanted) {
        return shard.claim(wanted, this);
    }

    private Waiter queue(Claim wanted) {
        if (claim(wanted) instanceof ClaimOutcome.Queued queued) {
            return (Waiter) queued.ticket();
        }
        throw new IllegalStateException("not queued");
    }

    @Benchmark
    public ReleaseOutcome acquireAndRelease() {
        Held held = (Held) claim(claim);
        return shard.release(claim.key(), held.grant().token());
    }

    /** One leaves from somewhere in the middle, and comes back at the end. */
    @Benchmark
    public Object leaveAndQueueAgain() {
        next = (next + 7919) % queue.size();
        Object left = shard.leave(queue.get(next));
        queue.set(next, queue(contended));
        return left;
    }

    @Override
    public long id() {
        return 1;
    }

    @Override
    public void granted(Ticket ticket, Grant grant) {}

    @Override
    public void removed(Ticket ticket) {}

    @Override
    public void ended(Grant grant, Ending ending) {}
}
