package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Builds an attempt for tests of the check, with times in milliseconds. */
final class AttemptBuilder {
    private final int limit;
    private final int gateway;
    private final List<Call> calls = new ArrayList<>();
    private long closed = Long.MAX_VALUE;
    private long broken = Long.MAX_VALUE;

    private AttemptBuilder(int limit, int gateway) {
        this.limit = limit;
        this.gateway = gateway;
    }

    static AttemptBuilder lock() {
        return new AttemptBuilder(1, 0);
    }

    static AttemptBuilder slot(int limit) {
        return new AttemptBuilder(limit, 0);
    }

    static AttemptBuilder lockAt(int gateway) {
        return new AttemptBuilder(1, gateway);
    }

    private AttemptBuilder call(
            Action action, int at, long sent, long got, Answer answer, long seconds, long fence, long patience) {
        calls.add(new Call(action, at, nanos(sent), nanos(got), answer, seconds, fence, patience));
        return this;
    }

    AttemptBuilder acquired(long sent, long got, long fence) {
        return acquired(sent, got, fence, 60);
    }

    AttemptBuilder acquired(long sent, long got, long fence, long seconds) {
        return call(Action.ACQUIRE, gateway, sent, got, Answer.GRANTED, seconds, fence, 30);
    }

    AttemptBuilder notAcquired(long sent, long got, Answer answer) {
        return call(Action.ACQUIRE, gateway, sent, got, answer, 60, 0, 5);
    }

    AttemptBuilder queued(long sent, long got) {
        return call(Action.ENQUEUE, gateway, sent, got, Answer.QUEUED, 60, 0, 0);
    }

    AttemptBuilder waited(long sent, long got, long fence) {
        return call(Action.WAIT, gateway, sent, got, Answer.GRANTED, 60, fence, 30);
    }

    AttemptBuilder waitedInVain(long sent, long got, long patience) {
        return call(Action.WAIT, gateway, sent, got, Answer.TIMEOUT, 60, 0, patience);
    }

    AttemptBuilder waitedAndLost(long sent, long got) {
        return call(Action.WAIT, gateway, sent, got, Answer.LEASE_EXPIRED, 60, 0, 30);
    }

    AttemptBuilder renewed(long sent, long got, Answer answer, long seconds) {
        return call(Action.RENEW, gateway, sent, got, answer, seconds, 0, 0);
    }

    AttemptBuilder renewedThrough(int other, long sent, long got) {
        return renewedThrough(other, sent, got, Answer.OK);
    }

    AttemptBuilder renewedThrough(int other, long sent, long got, Answer answer) {
        return call(Action.RENEW, other, sent, got, answer, 60, 0, 0);
    }

    AttemptBuilder released(long sent, long got) {
        return released(sent, got, Answer.OK);
    }

    AttemptBuilder released(long sent, long got, Answer answer) {
        return call(Action.RELEASE, gateway, sent, got, answer, 0, 0, 0);
    }

    AttemptBuilder closed(long at) {
        closed = nanos(at);
        return this;
    }

    AttemptBuilder broken(long at) {
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
