package io.flockgate.roster.support;

import io.flockgate.storage.StorageException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a store of rosters works, as its last calls show. Logs each change. Thread safe. */
final class StoreHealth {
    private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

    private final RosterStore store;
    private volatile @Nullable Failure failure;

    /**
     * The latest failure.
     *
     * @param writing whether only a successful write ends it
     */
    private record Failure(String reason, boolean writing) {}

    StoreHealth(RosterStore store) {
        this.store = store;
    }

    void worked(boolean writing) {
        Failure last = failure;
        if (last != null && (writing || !last.writing())) {
            failure = null;
            LOG.atInfo().addKeyValue("store", store).log("rosters can be kept again");
        }
    }

    void broken(StorageException e, boolean writing) {
        Failure last = failure;
        String reason = String.valueOf(e.getMessage());
        if (last == null) {
            LOG.atWarn().addKeyValue("store", store).addKeyValue("err", reason).log("rosters cannot be kept");
        }
        failure = new Failure(reason, writing || (last != null && last.writing()));
    }

    /** Why it does not work; empty if it does. */
    Optional<String> failureReason() {
        return Optional.ofNullable(failure).map(Failure::reason);
    }
}
