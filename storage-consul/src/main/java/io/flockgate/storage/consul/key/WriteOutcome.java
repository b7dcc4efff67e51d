package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.util.List;

/** The result of a write, once it is certain. */
sealed interface WriteOutcome {
    /**
     * The write was carried out.
     *
     * @param sentAt the time at which the write was sent, or earlier
     * @param seenBefore the highest index that this gateway had seen at that time
     */
    record Done(KeyView view, long sentAt, long seenBefore) implements WriteOutcome {}

    /**
     * Consul has not carried out the write and never will, because the key differs from the view.
     */
    record Refused(List<Obstacle> obstacles) implements WriteOutcome {
        boolean byInvalidSession() {
            return obstacles.stream().anyMatch(each -> each.missingSession() != null);
        }

        boolean byLockDelay() {
            return obstacles.stream().anyMatch(Obstacle::isLockDelay);
        }
    }
}
