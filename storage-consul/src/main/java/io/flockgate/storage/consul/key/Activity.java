package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.environment.Environment;

/**
 * The time at which this gateway last used a key. Written by one thread; any thread may read it.
 */
final class Activity {
    private final Environment environment;
    private volatile long last;

    Activity(Environment environment, long last) {
        this.environment = environment;
        this.last = last;
    }

    long last() {
        return last;
    }

    /** Records that the gateway uses the key now. */
    void touch() {
        last = environment.now();
    }
}
