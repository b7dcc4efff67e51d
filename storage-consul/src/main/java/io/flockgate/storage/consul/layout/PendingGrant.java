package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Kind;

/**
 * A grant that is about to be made. Its mark's nonce finds it in Consul once it is made.
 *
 * @param session the session that holds the lock, or that becomes a holder in the semaphore's document; it must not be one yet
 * @param salt the token's random half; 0 where another gateway prepared the grant, as only that gateway knows it
 */
public record PendingGrant(Kind kind, long limit, String session, HolderMark mark, long salt) {
    public String nonce() {
        return mark.nonce();
    }
}
