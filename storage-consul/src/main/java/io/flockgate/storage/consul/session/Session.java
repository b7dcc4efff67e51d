package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A session of this gateway in Consul. Thread safe.
 *
 * <p>It is <i>safe</i> while Consul cannot have ended it for lack of renewals: by both clocks, less
 * than a TTL has passed since the last successful renewal was sent.
 */
final class Session {
    private final String id;

    /** The node in Consul's catalog to which the session belongs; null when it is not known. */
    private volatile @Nullable String node;

    /**
     * When the last successful renewal was sent. Consul keeps the session for at least its TTL from
     * then on.
     */
    private volatile Moment renewed;

    /** Held while a caller asks Consul about the session. */
    private final Object asking = new Object();

    /** The number of times that callers have begun to ask Consul. */
    private final AtomicLong asked = new AtomicLong();

    /**
     * The number of grants, made or pending, under this session. Guarded by {@link
     * SlotSessionPool}.
     */
    private int uses;

    private long unusedSince;

    /**
     * A moment on both clocks. While a machine is suspended, its monotonic clock stands still, and
     * only the time of day shows how much time has passed. The time of day may also have been
     * changed, so it can cause a renewal but ends no session.
     */
    record Moment(long nanos, long timeOfDay) {
        static Moment now(Environment environment) {
            return new Moment(environment.now(), environment.timeOfDay());
        }
    }

    Session(String id, Moment made) {
        this.id = id;
        this.renewed = made;
        this.unusedSince = made.nanos();
    }

    String id() {
        return id;
    }

    @Nullable
    String node() {
        return node;
    }

    void node(@Nullable String known) {
        node = known;
    }

    /** Records a renewal, unless a later one has already been answered. */
    synchronized void renewed(Moment sent) {
        if (sent.nanos - renewed.nanos >= 0) {
            renewed = sent;
        }
    }

    /**
     * Asks Consul about the session, or waits while another thread does so that has begun after
     * this call, and blocks until there is an answer or a failure.
     */
    void ask(Runnable renewal) {
        long before = asked.get();
        synchronized (asking) {
            if (asked.compareAndSet(before, before + 1)) {
                renewal.run();
            }
        }
    }

    /** The time at which the last successful renewal was sent. */
    long renewedAt() {
        return renewed.nanos;
    }

    /** Whether Consul may have ended the session by now for lack of renewals. */
    boolean isOver(long ttlNanos, Moment now) {
        return now.nanos - renewed.nanos >= ttlNanos;
    }

    boolean isSafe(long ttlNanos, Moment now) {
        Moment last = renewed;
        return now.nanos - last.nanos < ttlNanos && now.timeOfDay - last.timeOfDay < ttlNanos;
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
