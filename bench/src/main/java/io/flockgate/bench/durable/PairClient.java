package io.flockgate.bench.durable;

import io.flockgate.bench.BenchException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** A detached client that acquires and releases its own lock until it is stopped. */
final class PairClient implements Runnable {
    private final int port;
    private final String key;
    private final CountDownLatch ready;
    private volatile boolean stopping;
    private volatile long pairs;

    PairClient(int port, String key, CountDownLatch ready) {
        this.port = port;
        this.key = key;
        this.ready = ready;
    }

    /** The number of pairs so far. */
    long pairs() {
        return pairs;
    }

    void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = socket.getOutputStream();
            expect("ok detached", ask(in, out, "hello\n" + key + "\ndetached\n"));
            ready.countDown();
            for (long done = 1; !stopping; done++) {
                String granted = ask(in, out, "l\n" + key + "\n10 60\n");
                if (!granted.startsWith("ok ")) {
                    throw new BenchException("not granted: " + granted);
                }
                expect("ok", ask(in, out, "r\n" + key + "\n" + granted.substring(3, 35) + "\n"));
                pairs = done;
            }
        } catch (IOException e) {
            throw new BenchException("lost the connection", e);
        }
    }

    private static String ask(BufferedReader in, OutputStream out, String frame) throws IOException {
        out.write(frame.getBytes(StandardCharsets.US_ASCII));
        return String.valueOf(in.readLine());
    }

    private static void expect(String wanted, String reply) {
        if (!reply.equals(wanted)) {
            throw new BenchException("unexpected answer: " + reply);
        }
    }
}
