package io.flockgate.client;

/** A registration that can be ended. Safe from any thread, also from within what was registered. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    /**
     * Ends the registration. A second call does nothing. What has begun already is not interrupted.
     */
    @Override
    void close();
}
