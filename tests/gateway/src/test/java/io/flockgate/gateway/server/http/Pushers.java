package io.flockgate.gateway.server.http;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that keep requesting the statistics and read nothing. */
final class Pushers implements AutoCloseable {
    private final List<Socket> sockets = new ArrayList<>();
    private final AtomicLong sent = new AtomicLong();

    Pushers(int port, int count) throws IOException {
        byte[] requests =
                RawHttp.request("GET", "/v1/stats", "", "").repeat(500).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            sockets.add(socket);
            Thread unused = Thread.ofVirtual().start(() -> push(socket, requests));
        }
    }

    private void push(Socket socket, byte[] requests) {
        try {
            while (true) {
                socket.getOutputStream().write(requests);
                sent.addAndGet(requests.length);
            }
        } catch (IOException closed) {
            sent.addAndGet(-1);
        }
    }

    /**
     * Waits until the server has accepted nothing from any client for half a second. No event
     * reports that, so it takes real time. If the server only paused, the test is less strict.
     */
    void awaitStandstill() throws InterruptedException {
        long giveUp = System.nanoTime() + LineClient.PATIENCE.toNanos();
        long before = -1;
        while (before != sent.get()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("the server reads on without end");
            }
            before = sent.get();
            Thread.sleep(500);
        }
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
