package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.layout.HolderMark;
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

    /** The mark that stands in Consul is surely that of a lease that is renewed silently. */
    private boolean silent;

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
        this.silent = candidate.grantee().mark().silent();
        leaseFrom(sentAt, candidate.leaseSeconds());
    }

    /** The lease runs anew, counted from when it was asked for. */
    void leaseFrom(long now, long seconds) {
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

    boolean isSilent() {
        return silent;
    }

    /** A renewal is about to be written: until its mark is seen it is not known which one stands. */
    void beginRenewal() {
        silent = false;
    }

    /** This mark stands now. */
    void marked(HolderMark mark) {
        sequence = mark.sequence();
        silent = mark.silent();
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

    boolean isReleasing() {
        return releasing;
    }

    void beginRelease() {
        releasing = true;
    }
}
