package io.flockgate.storage.memory.kept;

import io.flockgate.storage.ClaimOutcome;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one claim whose grant outlives the process. Set under the shard's monitor, because
 * the grant may have failed and ended once it is released.
 */
public final class KeptAnswer {
    private @Nullable KeptGrant grant;

    /** The claim has obtained this grant. */
    public void waitFor(@Nullable KeptGrant made) {
        grant = made;
    }

    /** Completes with the outcome of the claim: at once, or when its grant is durable. */
    public Future<ClaimOutcome> answer(ClaimOutcome outcome) {
        return grant == null ? Future.succeededFuture(outcome) : grant.outcome();
    }
}
