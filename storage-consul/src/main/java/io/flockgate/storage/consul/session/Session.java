package io.flockgate.storage.consul.session;

/** One session of this gateway, as long as it may be believed in. Thread safe. */
final class Session {
    private final String id;

    /** When the last renewal that succeeded was sent: Consul keeps the session for its time to live from then on at least. */
    private volatile long renewedAt;

    /** Grants made, or being made, under this session. Guarded by {@link HolderPool}. */
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
