package io.flockgate.gateway.server.flood;

import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections on one thread, which never waits for the gateway. A connection sends what the
 * gateway accepts at once, and reads only when a test requests it.
 */
final class Crowd implements AutoCloseable {
    /**
     * Buffer size for each direction, small because data waiting in the client's kernel is of no
     * interest.
     */
    private static final int KERNEL_BYTES = 4096;

    /** The time in which a gateway refuses what exceeds a cap. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final List<Member> members = new ArrayList<>();
    private final ByteBuffer received = ByteBuffer.allocate(64 * 1024);

    private static final class Member {
        private final SocketChannel channel;

        /** The number of bytes that it has sent of the current text. */
        private int at;

        private Member(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /** Opens {@code many} connections, some of which the gateway may close at once. */
    static Crowd of(int port, int many) throws IOException {
        Crowd crowd = new Crowd();
        try {
            for (int i = 0; i < many; i++) {
                crowd.members.add(new Member(connect(port)));
            }
        } catch (IOException e) {
            crowd.close();
            throw e;
        }
        return crowd;
    }

    private static SocketChannel connect(int port) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, KERNEL_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, KERNEL_BYTES);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        return channel;
    }

    /** What a connection does. Returns a number of bytes. */
    @FunctionalInterface
    private interface Step {
        long run(Member member) throws IOException;
    }

    /** Runs a step on each connection. Returns the number of bytes. */
    private long each(Step step) throws IOException {
        long bytes = 0;
        for (Member member : List.copyOf(members)) {
            try {
                bytes += step.run(member);
            } catch (IOException e) {
                end(member);
            }
        }
        return bytes;
    }

    /**
     * Continues sending a text on each connection, up to its end. Returns the number of bytes that
     * were sent.
     */
    long offer(byte[] text) throws IOException {
        return each(member -> offer(member, text));
    }

    private static int offer(Member member, byte[] text) throws IOException {
        int taken = member.channel.write(ByteBuffer.wrap(text, member.at, text.length - member.at));
        member.at += taken;
        return taken;
    }

    /** Reads everything that has arrived. Returns the number of bytes. */
    long read() throws IOException {
        return each(this::read);
    }

    private long read(Member member) throws IOException {
        long bytes = 0;
        int some = member.channel.read(received.clear());
        while (some > 0) {
            bytes += some;
            some = member.channel.read(received.clear());
        }
        if (some < 0) {
            end(member);
        }
        return bytes;
    }

    private void end(Member member) throws IOException {
        member.channel.close();
        members.remove(member);
    }

    /**
     * Sends a text once on each connection, and reads until at most {@code most} are open.
     *
     * @throws AssertionError if more of them stay open
     */
    void offerUntil(byte[] text, int most) throws IOException {
        long unused = offer(text);
        String unusedCount = Polling.until(
                PATIENCE,
                () -> {
                    long unusedReplies = read();
                    return open() + " of the connections are open, instead of " + most;
                },
                ignored -> open() <= most);
    }

    /** The number of connections that have not been seen to end. */
    int open() {
        return members.size();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        for (Member member : members) {
            member.channel.close();
        }
        members.clear();
    }
}
