package io.flockgate.gateway.rest;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import java.util.Comparator;

/** The orders in which a client may request keys. */
enum KeyOrder {
    /** The longest-held key first. */
    LONGEST_HOLD("longest_hold", Comparator.comparingLong(KeySummary::heldNanos)),
    /** The key whose first waiter has waited longest first. */
    LONGEST_WAIT("longest_wait", Comparator.comparingLong(KeySummary::waitedNanos)),
    /** The key with the most waiters first. Among equals, the longest-held one. */
    LONGEST_QUEUE(
            "longest_queue", Comparator.comparingInt(KeySummary::waiters).thenComparingLong(KeySummary::heldNanos));

    private final String parameter;

    @SuppressWarnings("ImmutableEnumChecker") // has no state
    private final Comparator<KeySummary> lastFirst;

    KeyOrder(String parameter, Comparator<KeySummary> lastFirst) {
        this.parameter = parameter;
        this.lastFirst = lastFirst.thenComparing(KeySummary::key, Key::compareByHash);
    }

    /** The text of the parameter that requests this order. */
    String parameter() {
        return parameter;
    }

    /** The reverse of this order. */
    Comparator<KeySummary> lastFirst() {
        return lastFirst;
    }
}
