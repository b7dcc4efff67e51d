package io.flockgate.storage.memory;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A notification of a claimant, to be sent once the shard's monitor has been released. An element
 * of a linked list.
 */
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

    /** Sends this notification and all that follow it, in order. */
    static void sendAll(@Nullable PendingNotification first) {
        for (PendingNotification notification = first; notification != null; notification = notification.next) {
            notification.send();
        }
    }

    /** Notifies a claimant that an operator has taken its claim out of the queue. */
    static void sendRemoved(Waiter waiter) {
        try {
            waiter.claimant().removed(waiter);
        } catch (RuntimeException e) {
            failed(waiter.claimant(), e);
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
            failed(holder.claimant(), e);
        }
    }

    /** A defect in one claimant must not prevent the notification of others. */
    private static void failed(Claimant claimant, RuntimeException defect) {
        LOG.atError().addKeyValue("id", claimant.id()).setCause(defect).log("claimant failed");
    }
}
