package io.flockgate.storage;

/**
 * One slot given to one claimant: a handle made by the storage, compared by identity. What it says never changes.
 */
public interface Grant {
    Key key();

    Kind kind();

    /** Unsigned; greater than that of every earlier grant of the key. */
    long fence();

    /** The random half of the token: a secret. */
    long salt();

    /** When the lease was first started, by the clock of {@link StorageSettings}. */
    long grantedAtNanos();

    /** The proof to release and renew by. */
    default Token token() {
        return new Token(fence(), salt());
    }
}
