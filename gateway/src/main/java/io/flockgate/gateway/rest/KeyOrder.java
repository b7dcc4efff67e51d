package io.flockgate.gateway.rest;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import java.util.Comparator;

/** The orders in which a client may ask for keys. */
enum KeyOrder {
    /** The key that has been held for the longest time first. */
    LONGEST_HOLD("longest_hold", Comparator.comparingLong(KeySummary::heldNanos)),
    /**
     * The key with the most waiters first. Among equals, the one that has been held for the longest
     * time.
     */
    LONGEST_QUEUE(
            "longest_queue", Comparator.comparingInt(KeySummary::waiters).thenComparingLong(KeySummary::heldNanos));

    private final String parameter;

    @SuppressWarnings("ImmutableEnumChecker") // has no state
    private final Comparator<KeySummary> lastFirst;

    KeyOrder(String parameter, Comparator<KeySummary> lastFirst) {
        this.parameter = parameter;
        this.lastFirst = lastFirst.thenComparing(KeySummary::key, Key::compareByHash);
    }

    /** The text of the parameter that asks for this order. */
    String parameter() {
        return parameter;
    }

    /** The reverse of this order. */
    Comparator<KeySummary> lastFirst() {
        return lastFirst;
    }
}
