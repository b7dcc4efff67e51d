package io.flockgate.client.tcp;

import org.jspecify.annotations.Nullable;

/**
 * A connection on which this client has introduced itself.
 *
 * @param server the server's address
 * @param detached true if grants outlive the connection; otherwise the server, which is then an
 *     older one or dflockd, ends them with it, and its tokens have no fence
 * @param reasons true if the server distinguishes a grant that is not held from a failure
 * @param incarnation the id of the server's grants; null if it reports none
 */
record Connection(
        LineConnection line,
        ServerAddress server,
        boolean detached,
        boolean reasons,
        @Nullable String incarnation) {
    boolean isOpen() {
        return line.isOpen();
    }
}
