package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A connection in blocking mode that the server has accepted, with its session if it needs one. */
final class Connection implements AutoCloseable {
    private final SocketChannel channel;
    private final Protocol protocol;
    private final String session;

    Connection(InetSocketAddress server, Protocol protocol) throws IOException {
        this.channel = SocketChannel.open(server);
        this.protocol = protocol;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            this.session = protocol.session(ask(protocol.greeting()));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    SocketChannel channel() {
        return channel;
    }

    /** One write that acquires these keys. */
    Step acquire(List<String> keys, int leaseSeconds) {
        return Step.of(
                true,
                keys.stream()
                        .map(key -> protocol.acquire(key, session, leaseSeconds))
                        .toList());
    }

    /** One write that releases these keys. */
    Step release(List<String> keys) {
        return Step.of(
                false, keys.stream().map(key -> protocol.release(key, session)).toList());
    }

    /** Sends all of this. */
    void send(ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            int unused = channel.write(out);
        }
    }

    /** Sends one request and reads its whole answer, at most 4,096 bytes. */
    private String ask(String request) throws IOException {
        send(ByteBuffer.wrap(Protocol.ascii(request)));
        ByteBuffer in = ByteBuffer.allocate(4096);
        int end = Protocol.NONE;
        while (end == Protocol.NONE) {
            if (channel.read(in) <= 0) {
                throw new BenchException("connection closed by the server while it was set up");
            }
            end = protocol.end(in, 0, in.position());
        }
        return new String(in.array(), 0, end, StandardCharsets.ISO_8859_1);
    }

    /** Ends the session, and the connection, which must be in blocking mode. */
    void leave() throws IOException {
        String farewell = protocol.farewell(session);
        if (!farewell.isEmpty()) {
            String unused = ask(farewell);
        }
        close();
    }

    /** Ends the connection. The server's timeout ends its session. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
