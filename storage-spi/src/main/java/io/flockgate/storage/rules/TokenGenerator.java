package io.flockgate.storage.rules;

/** Issues the fences and salts of which tokens consist. */
public interface TokenGenerator {
    /** The next fence, greater (unsigned) than all before it, or 0 when none can be issued now. */
    long nextFence();

    /** 64 random bits from a cryptographic source. */
    long nextSalt();
}
