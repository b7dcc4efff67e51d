package io.flockgate.gateway.metrics;

import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;

/** The holders and waiters of all keys by kind, at one point in time. For one thread at a time. */
final class KeyTotals {
    final OfKind locks = new OfKind();
    final OfKind semaphores = new OfKind();
    final QueueLengths queues = new QueueLengths();
    long keys;

    static final class OfKind {
        long holders;
        long waiters;

        /** The age of the oldest grant; 0 without one. */
        long longestHoldNanos;
    }

    void add(KeySummary key) {
        OfKind kind = key.kind() == Kind.LOCK ? locks : semaphores;
        kind.holders += key.holders();
        kind.waiters += key.waiters();
        kind.longestHoldNanos = Math.max(kind.longestHoldNanos, key.heldNanos());
        queues.add(key.waiters());
        keys++;
    }
}
