package io.flockgate.consul.testbed;

/** Waits between two polls of something that sends no events. */
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
