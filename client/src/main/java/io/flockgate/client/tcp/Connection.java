package io.flockgate.client.tcp;

import org.jspecify.annotations.Nullable;

/**
 * A connection on which this client has introduced itself.
 *
 * @param line the connection
 * @param server the server's address
 * @param detached true if grants outlive the connection; otherwise the server ends them with it.
 *     Then it is also an older server, or dflockd, and its tokens have no fence
 * @param reasons true if the server distinguishes a grant that is not held from a failure
 * @param incarnation the id of the server's grants; null if it does not say
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
