package io.flockgate.storage.rules;

/** The source of tokens. */
public interface TokenGenerator {
    /** The next fence, greater (unsigned) than all before it, or 0 when none can be issued now. */
    long nextFence();

    /** 64 random bits from a cryptographic source. */
    long nextSalt();
}
