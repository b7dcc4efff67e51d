package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.List;

/** The result of a write, once it is certain. */
sealed interface WriteOutcome {
    /**
     * The write was carried out.
     *
     * @param sentAt when what was carried out was sent, or earlier
     * @param seenBefore the highest index that this gateway had seen by then
     */
    record Done(KeyView view, long sentAt, long seenBefore) implements WriteOutcome {}

    /** The write was not carried out and never will be: the key is not as the view showed it. */
    record Refused(List<Obstacle> obstacles) implements WriteOutcome {
        boolean byInvalidSession() {
            return obstacles.stream().anyMatch(Obstacle::isInvalidSession);
        }

        boolean byLockDelay() {
            return obstacles.stream().anyMatch(Obstacle::isLockDelay);
        }
    }
}
