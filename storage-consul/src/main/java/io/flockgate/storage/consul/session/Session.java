package io.flockgate.storage.consul.session;

import org.jspecify.annotations.Nullable;

/** A session of this gateway in Consul. Thread safe. */
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
