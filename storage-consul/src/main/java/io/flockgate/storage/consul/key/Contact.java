package io.flockgate.storage.consul.key;

/**
 * When Consul did not answer this gateway last. What was not seen to change meanwhile says nothing: others may have been cut off
 * as well. Thread safe.
 */
final class Contact {
    private volatile boolean everLost;
    private volatile long lostAt;

    /** Consul has not answered. */
    void lost(long now) {
        lostAt = now;
        everLost = true;
    }

    /** Since when Consul has answered whatever was asked, but no longer ago than this. */
    long since(long atMost) {
        return everLost && lostAt - atMost > 0 ? lostAt : atMost;
    }
}
