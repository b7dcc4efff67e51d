package io.flockgate.bench.consul;

/** A measurement that did not come about, or whose figures would be wrong. */
final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }

    BenchException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Keeps the interrupt. */
    static BenchException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new BenchException("interrupted", cause);
    }
}
