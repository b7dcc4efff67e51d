package io.flockgate.gateway.command.run;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a server on this machine. Once it is cut, nothing passes, and the ends notice nothing. */
final class CutLink implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    private CutLink(ServerSocket listener, int target) {
        this.listener = listener;
        this.target = target;
    }

    static CutLink to(int target) throws IOException {
        CutLink link = new CutLink(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
        Thread unused = Thread.ofVirtual().start(link::accept);
        return link;
    }

    int port() {
        return listener.getLocalPort();
    }

    void cut() {
        cut = true;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                Thread unusedUp = Thread.ofVirtual().start(() -> pass(client, server));
                Thread unusedDown = Thread.ofVirtual().start(() -> pass(server, client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] bytes = new byte[4096];
        try {
            int count = from.getInputStream().read(bytes);
            while (count >= 0) {
                if (!cut) {
                    to.getOutputStream().write(bytes, 0, count);
                }
                count = from.getInputStream().read(bytes);
            }
            if (!cut) {
                to.close();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
