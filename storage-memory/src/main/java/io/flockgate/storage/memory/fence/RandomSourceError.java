package io.flockgate.storage.memory.fence;

/** The failure of the random source. Fatal, because without it tokens could be guessed. */
public final class RandomSourceError extends Error {
    private static final long serialVersionUID = 1;

    RandomSourceError(Throwable cause) {
        super("the source of random bytes failed", cause);
    }
}
