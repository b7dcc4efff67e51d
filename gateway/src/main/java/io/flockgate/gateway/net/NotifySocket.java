package io.flockgate.gateway.net;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The datagram socket on which systemd receives messages from its services. Java has no such
 * sockets, but Netty's native transport does, and the gateway has loaded it by the time it listens.
 * Thread safe.
 */
public final class NotifySocket {
    private final byte[] path;

    private NotifySocket(byte[] path) {
        this.path = path;
    }

    /**
     * The socket with this name; empty without a name.
     *
     * @param name the value of {@code NOTIFY_SOCKET}: a path, or {@code @} followed by a name
     *     without a file
     */
    public static Optional<NotifySocket> named(@Nullable String name) {
        if (name == null || name.length() < 2 || (name.charAt(0) != '/' && name.charAt(0) != '@')) {
            return Optional.empty();
        }
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') {
            path[0] = 0;
        }
        return Optional.of(new NotifySocket(path));
    }

    /**
     * Sends a message. Does not wait.
     *
     * @throws IOException if nothing was sent
     */
    public void send(String message) throws IOException {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        Socket socket = open();
        try {
            int sent = socket.sendToDomainSocket(buffer, 0, bytes.length, path);
            if (sent < bytes.length) {
                throw new IOException("the socket takes nothing");
            }
        } finally {
            socket.close();
        }
    }

    private static Socket open() throws IOException {
        try {
            return Socket.newSocketDomainDgram();
        } catch (UnsatisfiedLinkError e) {
            throw new IOException("the native transport is not loaded", e);
        }
    }
}
