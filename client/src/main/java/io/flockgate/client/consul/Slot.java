package io.flockgate.client.consul;

import org.jspecify.annotations.Nullable;

/**
 * A slot that is held, or whose session has ended without a release.
 *
 * @param session the holder's session; empty for a lock whose session has ended
 * @param mark null when other software made this grant
 */
record Slot(String session, Entry entry, @Nullable Mark mark) {
    /** The index of the grant. */
    long fenceIndex() {
        return mark != null && mark.fenceIndex() != 0 ? mark.fenceIndex() : entry.modifyIndex();
    }

    boolean hasEnded() {
        return entry.session() == null;
    }

    boolean isOf(String nonce) {
        return mark != null && mark.nonce().equals(nonce);
    }

    /** Whether this is the grant of the token. The end of a session hides the fence of a grant that was never renewed. */
    boolean isOf(Token token, long fenceBase) {
        boolean fenceHidden = hasEnded() && (mark == null || mark.fenceIndex() == 0);
        return mark != null && mark.isOf(token) && (fenceHidden || fenceBase + fenceIndex() == token.fence());
    }
}
