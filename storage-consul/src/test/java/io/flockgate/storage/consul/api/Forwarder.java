package io.flockgate.storage.consul.api;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Another address for a server on this machine. */
final class Forwarder implements Closeable {
    private final ServerSocket server;
    private final int target;

    Forwarder(String address, int target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getByName(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket from = server.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofVirtual().start(() -> copy(from, to));
                Thread.ofVirtual().start(() -> copy(to, from));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            long ignored = from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other direction has ended.
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
