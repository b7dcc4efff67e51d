package io.flockgate.storage;

/**
 * One slot given to one claimant: an immutable handle made by the storage, compared by identity.
 */
public interface Grant {
    Key key();

    Kind kind();

    /** Unsigned; greater than that of every earlier grant of the key. */
    long fence();

    /** The random half of the token: a secret. */
    long salt();

    /** The time of the grant, by the clock of {@link StorageSettings}. */
    long grantedAtNanos();

    /** The proof that a release or a renewal needs. */
    default Token token() {
        return new Token(fence(), salt());
    }

    /** The reason why a grant ended. */
    enum Ending {
        /** A client released it by its token. */
        RELEASED,
        /** Its lease has expired. */
        EXPIRED,
        /** An operator ended it ({@link KeyAdministration#evict}). */
        EVICTED,
        /** The storage lost it or gave it up: it was deleted there, or is no longer certain. */
        LOST
    }
}
