package io.flockgate.client;

/** A registration that can be ended. Safe from any thread, even from within what was registered. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    /**
     * Ends the registration. A second call does nothing. A call that is already running is not
     * interrupted.
     */
    @Override
    void close();
}
