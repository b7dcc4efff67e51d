package io.flockgate.storage.memory;

import org.jspecify.annotations.Nullable;

/**
 * The notifications of one call in the order of its changes. Uses no memory while there are none.
 * Not thread-safe.
 */
final class PendingNotifications {
    private @Nullable PendingNotification first;
    private @Nullable PendingNotification last;

    void add(PendingNotification notification) {
        if (last == null) {
            first = notification;
        } else {
            last.next = notification;
        }
        last = notification;
    }

    /** Removes all notifications, and returns the first, which is linked to the others. */
    @Nullable
    PendingNotification takeAll() {
        PendingNotification all = first;
        first = null;
        last = null;
        return all;
    }
}
