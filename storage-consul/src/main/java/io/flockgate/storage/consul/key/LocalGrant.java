package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.session.Sessions;
import io.flockgate.storage.rules.Leases;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A grant that was made through this gateway. Changed only by the key's own thread. */
final class LocalGrant implements Grant {
    /**
     * The maximum delay in seeing a renewal through another gateway: the usual pause between two
     * reads of all keys ({@link LocalGateway.ReadPace}), plus two seconds for a slow read.
     */
    private static final long SEEN_LATE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long RETRY_SESSION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Key key;
    private final Kind kind;
    private final long fence;
    private final long salt;
    private final long grantedAtNanos;
    private final @Nullable Claimant claimant;

    private volatile Shown shown;

    /** The seconds for which the session of a detached grant lasts after a renewal. */
    private long sessionTtlSeconds;

    /**
     * The time at which the session of a detached grant must be renewed, because the lease is
     * longer than its TTL.
     */
    private long sessionDue;

    private volatile long leaseEndNanos;

    /** Whether another gateway started the lease, before this gateway saw it. */
    private boolean renewedElsewhere;

    /** Whether Consul may contain a newer mark, from a renewal that is being written. */
    private boolean renewing;

    /**
     * Whether its release has begun, or no client has got it. The release is repeated until the
     * slot is certainly free.
     */
    private boolean releasing;

    /** The session and the mark that Consul last showed. */
    private record Shown(String session, HolderMark mark) {}

    /**
     * @param claimant null if no client gets the grant, because its write had no certain result
     */
    LocalGrant(Key key, @Nullable Claimant claimant, long fence, PendingGrant pending, long sentAt) {
        long leaseSeconds = TimeUnit.MILLISECONDS.toSeconds(pending.mark().leaseMillis());
        this.key = key;
        this.kind = pending.kind();
        this.fence = fence;
        this.salt = pending.salt();
        this.grantedAtNanos = sentAt;
        this.claimant = claimant;
        this.shown = new Shown(pending.session(), pending.mark());
        this.sessionTtlSeconds = Sessions.detachedTtlSeconds(leaseSeconds);
        sessionRenewed(sentAt);
        leaseFrom(sentAt, leaseSeconds);
    }

    /** Restarts the lease from this moment. */
    void leaseFrom(long now, long seconds) {
        leaseEndNanos = Leases.end(now, seconds);
        renewedElsewhere = false;
    }

    /** Restarts the lease, because this gateway has seen a renewal through another gateway. */
    void renewedElsewhere(long now, long seconds) {
        leaseFrom(now, seconds);
        renewedElsewhere = true;
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

    @Nullable
    Claimant claimant() {
        return claimant;
    }

    /** The session of the slot. Thread safe. */
    String session() {
        return shown.session();
    }

    String nonce() {
        return shown.mark().nonce();
    }

    /** Whether the grant outlives this gateway. Thread safe. */
    boolean isDetached() {
        return shown.mark().isDetached();
    }

    /** Records that the session of this detached grant lasts for its TTL from this moment. */
    void sessionRenewed(long now) {
        sessionDue = Leases.end(now, sessionTtlSeconds / 2);
    }

    /** Records that Consul has not answered, so that the session must be renewed shortly. */
    void sessionNotRenewed(long now) {
        sessionDue = now + RETRY_SESSION_NANOS;
    }

    /**
     * Whether the session of this detached grant may end before the lease unless it is renewed
     * soon.
     */
    boolean needsSession(long now) {
        return isDetached() && now - sessionDue >= 0 && leaseEndNanos - now > sessionLeft();
    }

    private long sessionLeft() {
        return TimeUnit.SECONDS.toNanos(sessionTtlSeconds / 2);
    }

    /**
     * The time at which this grant needs work; in the past only if there is something to do now.
     */
    long due(long now) {
        // Another gateway may have renewed the lease and the session, which then lasts although it
        // is overdue here.
        long next = sessionDue - now > 0 ? sessionDue : now;
        boolean outlastsSession = isDetached() && leaseEndNanos - next > sessionLeft();
        return outlastsSession ? sessionDue : leaseEndNanos;
    }

    /**
     * Whether the lease can be renewed silently for this time, because the lease in Consul is
     * certainly silent as well.
     */
    boolean isSilent(long leaseSeconds) {
        HolderMark mark = shown.mark();
        return !renewing
                && mark.isSilent()
                && HolderMark.isSilent(TimeUnit.SECONDS.toMillis(leaseSeconds), mark.origin());
    }

    /**
     * Records that a renewal is being written. Until a read shows the mark, Consul may contain the
     * old or the new one.
     */
    void beginRenewal() {
        renewing = true;
    }

    /** Records the session and the mark that Consul now contains. */
    void update(String session, HolderMark mark, long now) {
        boolean detached = !isDetached() && mark.isDetached();
        shown = new Shown(session, mark);
        renewing = false;
        if (detached) {
            // Another gateway may have made the session for a shorter lease than this one.
            sessionTtlSeconds = Sessions.detachedTtlSeconds(0);
            sessionRenewed(now);
        }
    }

    long leaseEndNanos() {
        return leaseEndNanos;
    }

    boolean hasEnded(long now) {
        return now - leaseEndNanos >= 0;
    }

    /** Whether the lease has ended, or may have ended at the gateway that renewed it. */
    boolean mayHaveEnded(long now) {
        return hasEnded(renewedElsewhere ? now + SEEN_LATE_NANOS : now);
    }

    /** The sequence number of the last renewal that this gateway knows. */
    long sequence() {
        return shown.mark().sequence();
    }

    boolean isReleasing() {
        return releasing;
    }

    void beginRelease() {
        releasing = true;
    }
}
