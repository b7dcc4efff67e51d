package io.flockgate.bench.consul;

import java.util.ArrayDeque;
import java.util.Queue;
import org.HdrHistogram.Histogram;

/**
 * A key as clients of several gateways see it: counts holders and times hand-overs. A holder counts from its grant received
 * to its release sent. A hand-over runs from a release sent to the next grant received, where that grant's acquire was
 * already waiting. Thread safe.
 */
final class Contention {
    private final int limit;
    private final Queue<Release> released = new ArrayDeque<>();
    private final Histogram handOvers = Times.histogram();
    private final Histogram near = Times.histogram();
    private final Histogram far = Times.histogram();
    private boolean measuring;
    private long grants;
    private long allGrants;
    private int held;

    private record Release(long at, int gateway) {}

    Contention(int limit) {
        this.limit = limit;
    }

    /** What has been counted; to be read once all clients have ended. */
    record Result(long grants, Histogram handOvers, Histogram near, Histogram far) {}

    synchronized void begin() {
        measuring = true;
    }

    synchronized void end() {
        measuring = false;
    }

    synchronized Result result() {
        return new Result(grants, handOvers, near, far);
    }

    /** To be called before the release is sent. */
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
        long nanos = Times.clamp(now - last.at());
        handOvers.recordValue(nanos);
        (last.gateway() == gateway ? near : far).recordValue(nanos);
    }
}
