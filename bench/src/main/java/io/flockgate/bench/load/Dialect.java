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
     * @return the session that requests of this connection name; empty where the connection is the
     *     session
     */
    String greet(Dialler dialler, SocketChannel channel) throws IOException;

    /** Ends the session that {@link #greet} gave, where there is one; the connection stays. */
    default void leave(Dialler dialler, SocketChannel channel, String session) throws IOException {}

    /** One write that acquires these keys, as one of them or a worker's round does. */
    Step acquire(List<String> keys, String session, int leaseSeconds);

    /** One write that releases these keys. */
    Step release(List<String> keys, String session);
}
