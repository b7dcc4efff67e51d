package io.flockgate.storage.memory;

import org.jspecify.annotations.Nullable;

/**
 * The notifications of one call in the order of its changes. Needs no memory while there are none.
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

    /** The first notification, with the others behind it. None is left here. */
    @Nullable
    PendingNotification takeAll() {
        PendingNotification all = first;
        first = null;
        last = null;
        return all;
    }
}
