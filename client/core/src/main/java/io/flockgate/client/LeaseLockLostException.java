package io.flockgate.client;

/** The thread held the {@link LeaseLock}, and lost it. Another process may hold it. */
public class LeaseLockLostException extends IllegalMonitorStateException {
    private static final long serialVersionUID = 1L;

    /** A loss with this message. */
    LeaseLockLostException(String message) {
        super(message);
    }
}
