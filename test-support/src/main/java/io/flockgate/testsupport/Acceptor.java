package io.flockgate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.function.Consumer;

/** A listening socket; each of its connections is handled on a virtual thread of its own. */
final class Acceptor implements AutoCloseable {
    /** The address of this machine that fixtures listen on. */
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
            // It is gone all the same.
        }
    }

    /** Afterwards the port is free; connections stay open. */
    @Override
    public void close() {
        try {
            listener.close();
            // The port is free only when no thread accepts any more.
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
