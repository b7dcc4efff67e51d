package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.rules.Leases;

/** A grant that was made through this gateway. What changes is written by the key's own thread only. */
final class LocalGrant implements Grant {
    private final Key key;
    private final Kind kind;
    private final long fence;
    private final long salt;
    private final long grantedAtNanos;
    private final Claimant claimant;
    private final String session;
    private final String nonce;

    private volatile long leaseEndNanos;
    private long leaseSeconds;

    /** Of the last renewal that this gateway knows of. */
    private long sequence;

    /** Its release has begun, and is tried until it is done. */
    private boolean releasing;

    LocalGrant(Key key, Kind kind, long fence, Candidate candidate, long sentAt) {
        this.key = key;
        this.kind = kind;
        this.fence = fence;
        this.salt = candidate.salt();
        this.grantedAtNanos = sentAt;
        this.claimant = candidate.claimant();
        this.session = candidate.session();
        this.nonce = candidate.nonce();
        leaseFrom(sentAt, candidate.leaseSeconds());
    }

    /** The lease runs anew, counted from when it was asked for. */
    void leaseFrom(long now, long seconds) {
        leaseSeconds = seconds;
        leaseEndNanos = Leases.end(now, seconds);
    }

    @Override
    public Key key() {
        return key;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public long salt() {
        return salt;
    }

    @Override
    public long grantedAtNanos() {
        return grantedAtNanos;
    }

    Claimant claimant() {
        return claimant;
    }

    String session() {
        return session;
    }

    String nonce() {
        return nonce;
    }

    long leaseSeconds() {
        return leaseSeconds;
    }

    long leaseEndNanos() {
        return leaseEndNanos;
    }

    boolean hasEnded(long now) {
        return now - leaseEndNanos >= 0;
    }

    long sequence() {
        return sequence;
    }

    void sequence(long number) {
        sequence = number;
    }

    boolean isReleasing() {
        return releasing;
    }

    void beginRelease() {
        releasing = true;
    }
}
