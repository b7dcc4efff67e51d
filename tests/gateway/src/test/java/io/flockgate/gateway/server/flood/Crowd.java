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
import java.util.function.ToIntFunction;

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
    private long sent;

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

    /**
     * Continues sending a text on each connection, and restarts it at its end. Returns the number
     * of bytes that were sent.
     *
     * @param most the maximum number of bytes per connection
     */
    long offer(byte[] text, int most) throws IOException {
        return offer(text, ignored -> most);
    }

    private void offer(Member member, byte[] text, int most) throws IOException {
        int left = most;
        while (left > 0) {
            int length = Math.min(left, text.length - member.at);
            int taken = member.channel.write(ByteBuffer.wrap(text, member.at, length));
            member.at = (member.at + taken) % text.length;
            sent += taken;
            left = taken < length ? 0 : left - taken;
        }
    }

    /**
     * Continues sending a text without its last byte on each connection. Returns the number of
     * bytes that were sent.
     */
    long offerWithoutEnd(byte[] text) throws IOException {
        return offer(text, member -> text.length - 1 - member.at);
    }

    private long offer(byte[] text, ToIntFunction<Member> most) throws IOException {
        long before = sent;
        for (Member member : List.copyOf(members)) {
            try {
                offer(member, text, most.applyAsInt(member));
            } catch (IOException e) {
                end(member);
            }
        }
        return sent - before;
    }

    /** Reads everything that has arrived. Returns the number of bytes. */
    long read() throws IOException {
        long bytes = 0;
        for (Member member : List.copyOf(members)) {
            try {
                bytes += read(member);
            } catch (IOException e) {
                end(member);
            }
        }
        return bytes;
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
        long unused = offer(text, text.length);
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
        // For the reader of the test's output.
        System.out.printf("crowd: sent %d KB%n", sent >> 10);
        for (Member member : members) {
            member.channel.close();
        }
        members.clear();
    }
}
