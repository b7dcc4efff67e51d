package io.flockgate.consul.format;

import org.jspecify.annotations.Nullable;

/**
 * A grant that is prepared but not made yet. Views show the grant by the nonce of its mark.
 *
 * @param session the session that will hold the lock, or be a holder of the semaphore; it must not
 *     be a holder yet
 * @param salt the random half of the token; 0 when another gateway prepared the grant, because only
 *     that gateway knows it
 */
public record PendingGrant(KeyKind kind, long limit, String session, HolderMark mark, long salt) {
    private static final long NANOS_A_SECOND = 1_000_000_000;

    public String nonce() {
        return mark.nonce();
    }

    /** The same grant to this client, made at this time of day in nanoseconds. */
    public PendingGrant to(@Nullable ClientMark client, long timeOfDay) {
        return client == null
                ? this
                : new PendingGrant(kind, limit, session, mark.to(client.at(timeOfDay / NANOS_A_SECOND)), salt);
    }

    /** The same grant under another session. */
    public PendingGrant under(String other) {
        return new PendingGrant(kind, limit, other, mark, salt);
    }
}
