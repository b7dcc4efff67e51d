package io.flockgate.bench.consul;

import io.flockgate.bench.load.Latencies;
import java.util.ArrayDeque;
import java.util.Queue;
import org.HdrHistogram.Histogram;

/**
 * A meter of one key: counts holders and times hand-overs, as the clients of several gateways see them. A holder counts from its grant received
 * to its release sent. A hand-over runs from a release sent to the next grant received, where that grant's acquire was
 * already waiting. Thread safe.
 */
final class HandOverMeter {
    private final int limit;
    private final Queue<Release> released = new ArrayDeque<>();
    private final Histogram handOvers = Latencies.histogram();
    private final Histogram near = Latencies.histogram();
    private final Histogram far = Latencies.histogram();
    private boolean measuring;
    private long grants;
    private long allGrants;
    private int held;

    private record Release(long at, int gateway) {}

    HandOverMeter(int limit) {
        this.limit = limit;
    }

    /** The figures; read them once all clients have ended. */
    record HandOvers(long grants, Histogram handOvers, Histogram near, Histogram far) {}

    synchronized void begin() {
        measuring = true;
    }

    synchronized void end() {
        measuring = false;
    }

    synchronized HandOvers result() {
        return new HandOvers(grants, handOvers, near, far);
    }

    /** Call this before the release is sent. */
    synchronized void releasing(int gateway) {
        held--;
        released.add(new Release(System.nanoTime(), gateway));
    }

    synchronized void granted(int gateway, long acquireSent) {
        long now = System.nanoTime();
        if (++held > limit) {
            throw new BenchException(held + " holders at once where " + limit + " may hold");
        }
        grants += measuring ? 1 : 0;
        // The first grants take slots that nobody has released.
        Release last = ++allGrants > limit ? released.poll() : null;
        if (last == null || !measuring || acquireSent > last.at()) {
            return;
        }
        long nanos = Latencies.clamp(now - last.at());
        handOvers.recordValue(nanos);
        (last.gateway() == gateway ? near : far).recordValue(nanos);
    }
}
