package io.flockgate.storage.tck;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import org.jspecify.annotations.Nullable;

/** A grant and the claimant that has it. */
record HeldGrant(RecordingClaimant claimant, Grant grant) {
    Key key() {
        return grant.key();
    }

    Token token() {
        return grant.token();
    }

    long fence() {
        return grant.fence();
    }

    Ending awaitEnd() {
        return claimant.awaitEnded(grant);
    }

    @Nullable
    Ending ending() {
        return claimant.ending(grant);
    }
}
