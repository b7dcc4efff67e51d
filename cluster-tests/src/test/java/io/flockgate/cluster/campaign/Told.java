package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An attempt made up for tests of the check, with times in milliseconds. */
final class Told {
    private final int limit;
    private final int gateway;
    private final List<Call> calls = new ArrayList<>();
    private long closed = Long.MAX_VALUE;
    private long broken = Long.MAX_VALUE;

    private Told(int limit, int gateway) {
        this.limit = limit;
        this.gateway = gateway;
    }

    static Told lock() {
        return new Told(1, 0);
    }

    static Told slot(int limit) {
        return new Told(limit, 0);
    }

    static Told lockAt(int gateway) {
        return new Told(1, gateway);
    }

    private Told call(Kind kind, int at, long sent, long got, Answer answer, long seconds, long fence, long patience) {
        calls.add(new Call(kind, at, nanos(sent), nanos(got), answer, seconds, fence, patience));
        return this;
    }

    Told acquired(long sent, long got, long fence) {
        return acquired(sent, got, fence, 60);
    }

    Told acquired(long sent, long got, long fence, long seconds) {
        return call(Kind.ACQUIRE, gateway, sent, got, Answer.GRANTED, seconds, fence, 30);
    }

    Told notAcquired(long sent, long got, Answer answer) {
        return call(Kind.ACQUIRE, gateway, sent, got, answer, 60, 0, 5);
    }

    Told queued(long sent, long got) {
        return call(Kind.ENQUEUE, gateway, sent, got, Answer.QUEUED, 60, 0, 0);
    }

    Told waited(long sent, long got, long fence) {
        return call(Kind.WAIT, gateway, sent, got, Answer.GRANTED, 60, fence, 30);
    }

    Told waitedInVain(long sent, long got, long patience) {
        return call(Kind.WAIT, gateway, sent, got, Answer.TIMEOUT, 60, 0, patience);
    }

    Told waitedAndLost(long sent, long got) {
        return call(Kind.WAIT, gateway, sent, got, Answer.LEASE_EXPIRED, 60, 0, 30);
    }

    Told renewed(long sent, long got, Answer answer, long seconds) {
        return call(Kind.RENEW, gateway, sent, got, answer, seconds, 0, 0);
    }

    Told released(long sent, long got) {
        return released(sent, got, Answer.OK);
    }

    Told released(long sent, long got, Answer answer) {
        return call(Kind.RELEASE, gateway, sent, got, answer, 0, 0, 0);
    }

    Told closed(long at) {
        closed = nanos(at);
        return this;
    }

    Told broken(long at) {
        broken = nanos(at);
        return this;
    }

    Attempt made() {
        return new Attempt("key", limit, 0, gateway, calls, closed, broken);
    }

    static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
