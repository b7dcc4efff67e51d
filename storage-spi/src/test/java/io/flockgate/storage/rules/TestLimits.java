package io.flockgate.storage.rules;

/** Caps that a test chooses. */
record TestLimits(boolean hasRoomForHolder, long maxWaiters) implements ClaimLimits {
    static final TestLimits NONE = new TestLimits(true, 0);
}
