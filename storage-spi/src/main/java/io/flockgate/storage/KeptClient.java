package io.flockgate.storage;

import java.util.List;

/** A client of an earlier process whose grants the storage has kept. Thread safe. */
public interface KeptClient {
    /** The memo of the claimant that took the grants. */
    byte[] memo();

    /**
     * Hands the grants over to a claimant, which is notified of their endings from now on. Must be
     * called only once.
     *
     * @return the grants that have not ended yet
     */
    List<Grant> adopt(Claimant claimant);
}
