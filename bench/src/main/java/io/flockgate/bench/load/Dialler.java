package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Opens connections in blocking mode, and makes sure that the server has accepted each. */
final class Dialler {
    private final InetSocketAddress server;
    private final Dialect dialect;

    Dialler(InetSocketAddress server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
    }

    Connection open() throws IOException {
        SocketChannel channel = SocketChannel.open(server);
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new Connection(channel, dialect.greet(this, channel));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Ends the session of a connection in blocking mode, and the connection. */
    void close(Connection connection) throws IOException {
        try (connection) {
            dialect.leave(this, connection.channel(), connection.session());
        }
    }

    /** Sends one request and reads its whole answer, at most 4,096 bytes. */
    String ask(SocketChannel channel, String request) throws IOException {
        ByteBuffer out = StandardCharsets.ISO_8859_1.encode(request);
        while (out.hasRemaining()) {
            if (channel.write(out) < 0) {
                throw new BenchException("connection closed by the server");
            }
        }
        ByteBuffer in = ByteBuffer.allocate(4096);
        int end = Replies.NONE;
        while (end == Replies.NONE) {
            if (channel.read(in) <= 0) {
                throw new BenchException("connection closed by the server while it was set up");
            }
            end = dialect.replies().end(in, 0, in.position());
        }
        return new String(in.array(), 0, end, StandardCharsets.ISO_8859_1);
    }
}
