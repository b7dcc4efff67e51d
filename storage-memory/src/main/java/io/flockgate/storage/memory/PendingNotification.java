package io.flockgate.storage.memory;

import io.flockgate.storage.Ending;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Something a claimant is to be told once the shard's monitor has been let go, and what comes after it. */
final class PendingNotification {
    private static final Logger LOG = LoggerFactory.getLogger(PendingNotification.class);

    private final Holder holder;
    private final @Nullable Waiter waiter;
    private final @Nullable Ending ending;

    @Nullable
    PendingNotification next;

    private PendingNotification(Holder holder, @Nullable Waiter waiter, @Nullable Ending ending) {
        this.holder = holder;
        this.waiter = waiter;
        this.ending = ending;
    }

    static PendingNotification granted(Waiter waiter, Holder holder) {
        return new PendingNotification(holder, waiter, null);
    }

    static PendingNotification ended(Holder holder, Ending ending) {
        return new PendingNotification(holder, null, ending);
    }

    /** Tells all from this one on, in order. */
    static void sendAll(@Nullable PendingNotification first) {
        for (PendingNotification notification = first; notification != null; notification = notification.next) {
            notification.send();
        }
    }

    private void send() {
        try {
            if (waiter != null) {
                holder.claimant().granted(waiter, holder);
            } else if (ending != null) {
                holder.claimant().ended(holder, ending);
            }
        } catch (RuntimeException e) {
            // One claimant's fault must not keep the others from being told.
            LOG.atError().addKeyValue("id", holder.claimant().id()).setCause(e).log("claimant failed");
        }
    }
}
