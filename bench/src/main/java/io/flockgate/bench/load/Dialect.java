package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/** One protocol: its requests as finished bytes, and its answers. */
interface Dialect {

    Replies replies();

    /**
     * Sends a request that shows that the server has accepted the connection.
     *
     * @return the session that requests of this connection name; empty if the connection is the
     *     session
     */
    String greet(Dialler dialler, SocketChannel channel) throws IOException;

    /** Ends the session that {@link #greet} returned, if any; the connection stays open. */
    default void leave(Dialler dialler, SocketChannel channel, String session) throws IOException {}

    /** One write that acquires these keys. */
    Step acquire(List<String> keys, String session, int leaseSeconds);

    /** One write that releases these keys. */
    Step release(List<String> keys, String session);
}
