package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.List;

/** What became of a write, once that is certain. */
sealed interface WriteOutcome {
    /**
     * It was carried out.
     *
     * @param sentAt when what was carried out was sent, or earlier
     * @param seenBefore the highest index that this gateway had seen by then
     */
    record Done(KeyView view, long sentAt, long seenBefore) implements WriteOutcome {}

    /** It was not carried out and never will be: the key is not as it was thought to be. */
    record Refused(List<Obstacle> obstacles) implements WriteOutcome {
        boolean byInvalidSession() {
            return obstacles.stream().anyMatch(Obstacle::isInvalidSession);
        }

        boolean byLockDelay() {
            return obstacles.stream().anyMatch(Obstacle::isLockDelay);
        }
    }
}
