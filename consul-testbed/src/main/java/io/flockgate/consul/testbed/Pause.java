package io.flockgate.consul.testbed;

/** The time between two looks at something that tells nobody of its changes. */
final class Pause {
    private static final int MILLIS = 20;

    private Pause() {}

    static void shortly() {
        try {
            Thread.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for Consul", e);
        }
    }
}
