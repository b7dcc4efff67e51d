package io.flockgate.storage.rules;

/** Caps that a test chooses. */
record TestLimits(long maxHoldersPerKey, boolean hasRoomForHolder, long maxWaiters) implements ClaimLimits {
    static final TestLimits NONE = new TestLimits(0, true, 0);
}
