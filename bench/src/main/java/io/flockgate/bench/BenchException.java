package io.flockgate.bench;

/**
 * A measurement that failed, or whose figures would be wrong: an unexpected answer, a lost
 * connection, too many holders.
 */
public final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Keeps the interrupt. */
    public static BenchException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new BenchException("interrupted", cause);
    }
}
