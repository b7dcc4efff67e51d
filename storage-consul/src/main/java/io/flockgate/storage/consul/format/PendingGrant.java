package io.flockgate.storage.consul.format;

import io.flockgate.storage.Kind;

/**
 * A grant that is prepared but not made yet. Views show the grant by the nonce of its mark.
 *
 * @param session the session that will hold the lock, or be a holder of the semaphore; it must not
 *     be a holder yet
 * @param salt the random half of the token
 */
public record PendingGrant(Kind kind, long limit, String session, HolderMark mark, long salt) {
    public String nonce() {
        return mark.nonce();
    }
}
