package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.text.Reason;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the gateway's state to the service manager that has started it, systemd, in datagrams
 * over a Unix socket. Java has no such sockets, but Netty's native transport does, and the gateway
 * has loaded it by the time it listens. A manager that cannot be notified ends the gateway at its
 * own timeout; until then the gateway keeps running. Thread safe.
 */
public final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);

    private static final Notice READY = Notice.of("READY=1");
    private static final Notice STOPPING = Notice.of("STOPPING=1");
    private static final Notice ALIVE = Notice.of("WATCHDOG=1");

    /** The address of the socket; empty without a service manager. */
    private final byte[] path;

    private final boolean wantsSigns;

    @GuardedBy("this")
    private boolean stopping;

    /** A message to the manager. */
    private record Notice(String text, ByteBuffer bytes) {
        static Notice of(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            return new Notice(text, ByteBuffer.allocateDirect(bytes.length).put(bytes));
        }
    }

    private ServiceManager(byte[] path, boolean wantsSigns) {
        this.path = path;
        this.wantsSigns = wantsSigns;
    }

    /**
     * The manager that these variables describe.
     *
     * @param pid the id of this process
     */
    public static ServiceManager of(Map<String, String> environment, long pid) {
        String ours = Long.toString(pid);
        boolean wantsSigns = environment.containsKey("WATCHDOG_USEC")
                && environment.getOrDefault("WATCHDOG_PID", ours).equals(ours);
        return new ServiceManager(path(environment.getOrDefault("NOTIFY_SOCKET", "")), wantsSigns);
    }

    /** A name is a path, or {@code @} followed by a name without a file. */
    private static byte[] path(String name) {
        if (name.length() < 2 || (name.charAt(0) != '/' && name.charAt(0) != '@')) {
            return new byte[0];
        }
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') {
            path[0] = 0;
        }
        return path;
    }

    /**
     * Reports that all listeners are open, unless the gateway is already stopping, because a signal
     * may arrive during the start.
     */
    public synchronized void ready() {
        if (!stopping) {
            send(READY);
        }
    }

    /** Reports that the gateway drains and will then end. */
    public synchronized void stopping() {
        stopping = true;
        send(STOPPING);
    }

    /**
     * Sends a sign of life if the manager wants any. To be called every second, which is more often
     * than managers require.
     */
    public void alive() {
        if (wantsSigns) {
            send(ALIVE);
        }
    }

    private void send(Notice notice) {
        if (path.length == 0) {
            return;
        }
        try {
            Socket socket = Socket.newSocketDomainDgram();
            try {
                int length = notice.bytes.capacity();
                if (socket.sendToDomainSocket(notice.bytes, 0, length, path) < length) {
                    throw new IOException("the socket takes nothing");
                }
            } finally {
                socket.close();
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            LOG.atWarn()
                    .addKeyValue("notice", notice.text)
                    .addKeyValue("err", Reason.of(e))
                    .log("cannot notify the service manager");
        }
    }
}
