package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.TicketMark;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which key {@link KeyPolls} reads next. Guarded by {@link KeyPolls}; times are in
 * nanoseconds.
 *
 * <ol>
 *   <li>At most {@value #MAX_POLLS} keys have a blocking read. Keys with claims come first. Keys
 *       with only grants have at most {@value #MAX_GRANT_POLLS} of these reads.
 *   <li>A key whose blocking read ends without a change moves behind the others. A key that has
 *       changed comes before one that has not.
 *   <li>One thread reads the other keys in turns, one key at a time: each key with claims twice a
 *       second, each key with only grants every two seconds. If a round of all keys takes longer,
 *       because there are many or Consul is slow, the tickets of later claims state a longer time
 *       ({@link #actMillis}).
 * </ol>
 */
final class PollSchedule {
    static final int MAX_POLLS = 4;
    static final int MAX_GRANT_POLLS = 2;

    private static final long TURN_MILLIS = 500;

    /**
     * The factor by which pauses are longer for keys with only grants. A loss may be detected later
     * than a free slot, because a renewal would also detect it.
     */
    private static final int TURNS_OF_GRANTS = 4;

    /**
     * The minimum time allowed for a read in turn, so that there are at most 500 of them a second.
     */
    private static final long LEAST_READ_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** By prefix, in the order in which the keys get blocking reads. */
    private final Map<String, PolledKey> keys = new LinkedHashMap<>();

    private int polls;
    private int grantPolls;
    private boolean turning;

    /** The moving average of the time that a read in turn takes. */
    private long readNanos = LEAST_READ_NANOS;

    /** The key of this view, which is added if it is absent. */
    PolledKey key(KeyView view, long now) {
        return keys.computeIfAbsent(view.path().root(), absent -> new PolledKey(view, now));
    }

    /** The milliseconds within which a claim that begins to wait now would act on a free slot. */
    long actMillis() {
        return TicketMark.actMillisFor(Math.max(TURN_MILLIS, roundMillis(keys.size() + 1)));
    }

    private long roundMillis(int count) {
        return TimeUnit.NANOSECONDS.toMillis(count * readNanos);
    }

    /**
     * Removes a key that nothing waits for. During a read it stays until the end of the read,
     * because the next claim often comes soon.
     */
    void removeIfUnused(PolledKey key) {
        if (!key.isWatched() && !key.isReading()) {
            keys.remove(key.path().root(), key);
        }
    }

    /** Whether another thread should make blocking reads. */
    boolean needsPoll() {
        return polls < MAX_POLLS && nextPoll() != null;
    }

    void pollStarted() {
        polls++;
    }

    void pollEnded() {
        polls--;
    }

    /** Begins the next blocking read; null if no key needs one. */
    @Nullable
    PolledKey beginPoll() {
        PolledKey next = nextPoll();
        if (next != null) {
            next.beginRead(!next.hasClaims());
            grantPolls += next.isReadForGrants() ? 1 : 0;
        }
        return next;
    }

    private @Nullable PolledKey nextPoll() {
        PolledKey next = null;
        for (PolledKey each : keys.values()) {
            boolean may = !each.isReading() && each.isWatched() && (each.hasClaims() || grantPolls < MAX_GRANT_POLLS);
            next = may && (next == null || rank(each) > rank(next)) ? each : next;
        }
        return next;
    }

    private static int rank(PolledKey key) {
        return (key.hasClaims() ? 2 : 0) + (key.isChanging() ? 1 : 0);
    }

    void endPoll(PolledKey key, boolean changed, long now) {
        grantPolls -= key.isReadForGrants() ? 1 : 0;
        key.endRead(now);
        if (!changed) {
            key.unchanged();
            moveToEnd(key);
        }
        removeIfUnused(key);
    }

    private void moveToEnd(PolledKey key) {
        if (keys.remove(key.path().root(), key)) {
            keys.put(key.path().root(), key);
        }
    }

    /** Whether a thread should begin to read in turns. */
    boolean needsTurns() {
        return !turning && keys.size() > polls;
    }

    void turnsStarted() {
        turning = true;
    }

    void turnsEnded() {
        turning = false;
    }

    /** The key whose turn comes first; null if every key is being read. */
    @Nullable
    PolledKey nextTurn(long now) {
        PolledKey next = null;
        for (PolledKey each : keys.values()) {
            if (!each.isReading() && (next == null || untilTurn(each, now) < untilTurn(next, now))) {
                next = each;
            }
        }
        return next;
    }

    /** The time until the turn of a key; zero or less if it has come. */
    long untilTurn(PolledKey key, long now) {
        long round = roundMillis(keys.size());
        long allowed = key.hasClaims() ? TicketMark.pauseMillisFor(key.actMillis()) : Long.MAX_VALUE;
        long interval = Math.max(TURN_MILLIS, Math.min(round, allowed)) * (key.hasClaims() ? 1 : TURNS_OF_GRANTS);
        return TimeUnit.MILLISECONDS.toNanos(interval) - (now - key.readAt());
    }

    void endTurn(PolledKey key, long begun, long now) {
        readNanos = Math.max(LEAST_READ_NANOS, (readNanos * 15 + now - begun) / 16);
        key.endRead(now);
        removeIfUnused(key);
    }
}
