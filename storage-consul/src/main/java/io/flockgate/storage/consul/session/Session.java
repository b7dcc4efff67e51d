package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;
import org.jspecify.annotations.Nullable;

/**
 * A session of this gateway in Consul. Thread safe.
 *
 * <p>It is <i>safe</i> while Consul cannot have ended it for lack of renewals: less than a TTL has
 * passed since the last successful renewal was sent.
 *
 * <p>It is <i>in doubt</i> when the agent may have ended, or when more than that time has passed by
 * the time of day alone. Until it has been renewed, the gateway neither grants under it nor
 * confirms a grant. A doubt alone makes it give up nothing.
 */
final class Session {
    private final String id;

    /**
     * The node in Consul's catalog to which the session belongs; null until a read has shown it.
     */
    private volatile @Nullable String node;

    /**
     * The last successful renewal. Consul keeps the session for at least its TTL after it was sent.
     */
    private volatile Renewal renewal;

    /**
     * The number of grants, made or pending, under this session. Guarded by {@link
     * SlotSessionPool}.
     */
    private int uses;

    private long unusedSince;

    /**
     * A successful renewal.
     *
     * @param doubts the number of doubts that had been raised when it was sent, all of which it has
     *     settled
     */
    record Renewal(Moment sent, long doubts) {}

    /**
     * A moment on both clocks. While a machine is suspended, its monotonic clock stands still, and
     * only the time of day shows how much time has passed. The time of day may also have been
     * changed, so it can raise a doubt but decides nothing.
     */
    record Moment(long nanos, long timeOfDay) {
        static Moment now(Environment environment) {
            return new Moment(environment.now(), environment.timeOfDay());
        }
    }

    Session(String id, Renewal made) {
        this.id = id;
        this.renewal = made;
        this.unusedSince = made.sent().nanos();
    }

    String id() {
        return id;
    }

    @Nullable
    String node() {
        return node;
    }

    void node(@Nullable String shown) {
        node = shown;
    }

    /** Records a renewal, unless a later one has already been answered. */
    synchronized void renewed(Renewal last) {
        if (last.sent().nanos() - renewal.sent().nanos() >= 0 && last.doubts() >= renewal.doubts()) {
            renewal = last;
        }
    }

    Renewal renewal() {
        return renewal;
    }

    /** Whether Consul may have ended the session by now for lack of renewals. */
    boolean isOver(long ttlNanos, Moment now) {
        return now.nanos - renewal.sent.nanos >= ttlNanos;
    }

    /**
     * Whether the session is neither over nor in doubt.
     *
     * @param doubts the number of doubts raised so far
     */
    boolean isSafe(long ttlNanos, Moment now, long doubts) {
        Renewal last = renewal;
        return last.doubts >= doubts && !isOver(ttlNanos, now) && now.timeOfDay - last.sent.timeOfDay < ttlNanos;
    }

    void used() {
        uses++;
    }

    void unused(long now) {
        uses--;
        unusedSince = now;
    }

    boolean isUnusedFor(long nanos, long now) {
        return uses == 0 && now - unusedSince >= nanos;
    }
}
