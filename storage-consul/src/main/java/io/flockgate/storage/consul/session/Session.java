package io.flockgate.storage.consul.session;

/** A session of this gateway in Consul. Thread safe. */
final class Session {
    private final String id;

    /** The time at which the last successful renewal was sent. Consul keeps the session for at least its TTL from then on. */
    private volatile long renewedAt;

    /** The number of grants, made or pending, under this session. Guarded by {@link SlotSessionPool}. */
    private int uses;

    private long unusedSince;

    Session(String id, long sentAt) {
        this.id = id;
        this.renewedAt = sentAt;
        this.unusedSince = sentAt;
    }

    String id() {
        return id;
    }

    void renewed(long sentAt) {
        renewedAt = sentAt;
    }

    long renewedAt() {
        return renewedAt;
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
