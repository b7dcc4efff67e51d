package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.function.Consumer;

/** A listening socket, each of whose connections is handled on its own virtual thread. */
final class Acceptor implements AutoCloseable {
    /** The address of this machine on which fixtures listen. */
    static final String LOOPBACK = "127.0.0.1";

    private static final int BACKLOG = 500;

    private final ServerSocket listener;
    private final Thread thread;

    /**
     * @param port 0 for any
     */
    Acceptor(String address, int port, Consumer<Socket> handler) {
        try {
            listener = new ServerSocket(port, BACKLOG, InetAddress.getByName(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofVirtual().name("acceptor").start(() -> accept(handler));
    }

    int port() {
        return listener.getLocalPort();
    }

    URI uri(String scheme) {
        return URI.create(scheme + "://" + listener.getInetAddress().getHostAddress() + ":" + port());
    }

    boolean isClosed() {
        return listener.isClosed();
    }

    private void accept(Consumer<Socket> handler) {
        try {
            while (true) {
                Socket client = listener.accept();
                Thread unused = Thread.ofVirtual().start(() -> handler.accept(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed regardless.
        }
    }

    /** Frees the port; connections stay open. */
    @Override
    public void close() {
        try {
            listener.close();
            // The port is free only once no thread accepts connections.
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
