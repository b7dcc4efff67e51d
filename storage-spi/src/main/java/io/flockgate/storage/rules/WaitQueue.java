package io.flockgate.storage.rules;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one key, first come, first served. Joining, and leaving from any place, take O(1).
 */
final class WaitQueue {
    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    private int size;
    private long lastNumber;

    /**
     * @param now the time, which is greater than the numbers of the key's earlier queues
     */
    WaitQueue(long now) {
        this.lastNumber = now;
    }

    int size() {
        return size;
    }

    @Nullable
    Waiter head() {
        return head;
    }

    void join(Waiter waiter) {
        waiter.previous = tail;
        if (tail == null) {
            head = waiter;
        } else {
            tail.next = waiter;
        }
        tail = waiter;
        waiter.queued = true;
        lastNumber = Math.max(lastNumber + 1, waiter.queuedAtNanos());
        waiter.number(lastNumber);
        size++;
    }

    /** The waiter with this number; null when it is not queued. Walks the queue. */
    @Nullable
    Waiter find(long number) {
        Waiter waiter = head;
        while (waiter != null && waiter.number() != number) {
            waiter = waiter.next;
        }
        return waiter;
    }

    /** Removes a waiter; returns false when it is no longer queued. */
    @CanIgnoreReturnValue
    boolean leave(Waiter waiter) {
        if (!waiter.queued) {
            return false;
        }
        Waiter before = waiter.previous;
        Waiter after = waiter.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        waiter.queued = false;
        size--;
        return true;
    }
}
