package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * A client in an inspection.
 *
 * @param id its number within the process of its gateway; 0 when it is not known
 * @param gateway the node name of the gateway that it is connected to; null when that is not known
 *     or there is none
 * @param process identifies the process of that gateway, also across restarts; empty if the storage
 *     has only one gateway, or if the process is not known
 */
public record ClientView(
        long id, ClientDescription description, @Nullable String gateway, String process) {
    /** A client about which nothing is known. */
    public static final ClientView UNKNOWN = new ClientView(0, ClientDescription.UNKNOWN, null, "");

    /** A client of this process. */
    public static ClientView of(Claimant claimant, String gateway, String process) {
        return new ClientView(claimant.id(), claimant.description(), gateway, process);
    }
}
