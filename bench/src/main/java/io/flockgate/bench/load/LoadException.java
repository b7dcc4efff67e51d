package io.flockgate.bench.load;

/** A run that cannot go on: a surprising answer, a lost connection, too many holders, no progress. */
final class LoadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LoadException(String message) {
        super(message);
    }
}
