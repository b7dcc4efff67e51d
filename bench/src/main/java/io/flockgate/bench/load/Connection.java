package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/**
 * A connection that the server has accepted.
 *
 * @param session the session that its requests name; empty if the connection is the session
 */
record Connection(SocketChannel channel, String session) implements AutoCloseable {

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
