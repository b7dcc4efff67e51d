package io.flockgate.bench.consul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;

/**
 * One connection of the line protocol that waits for each answer, asleep: unlike the load driver it leaves the cores to those
 * that work. Any answer but the expected one is an exception. For one thread at a time.
 */
final class Client implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 700_000;

    private final Socket socket;
    private final OutputStream out;
    private final BufferedReader in;

    Client(InetSocketAddress gateway) {
        try {
            socket = new Socket();
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(gateway);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            out = socket.getOutputStream();
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1), 256);
        } catch (IOException e) {
            throw new BenchException("no connection to " + gateway, e);
        }
    }

    /** What is acquired: a lock with limit 1 and no semaphore, or a semaphore. */
    record Kind(String prefix, int limit) {
        static final Kind LOCK = new Kind("", 1);

        static Kind semaphore(int limit) {
            return new Kind("s", limit);
        }

        /** The limit as it stands in an argument. */
        String argument() {
            return prefix.isEmpty() ? "" : limit + " ";
        }

        @Override
        public String toString() {
            return prefix.isEmpty() ? "lock" : "semaphore of " + limit;
        }
    }

    /** Waits for the key; its token. */
    String acquire(Kind kind, String key, int leaseSeconds) {
        return token(ask(kind.prefix() + "l", key, "600 " + kind.argument() + leaseSeconds), "ok");
    }

    /** Queues for a key that is held. */
    void enqueue(Kind kind, String key, int leaseSeconds) {
        expect("queued", ask(kind.prefix() + "e", key, kind.argument() + leaseSeconds));
    }

    /** Waits for what {@link #enqueue} has begun; its token. */
    String await(Kind kind, String key) {
        return token(ask(kind.prefix() + "w", key, "600"), "ok");
    }

    void renew(Kind kind, String key, String token, int leaseSeconds) {
        expect("ok " + leaseSeconds, ask(kind.prefix() + "n", key, token + " " + leaseSeconds));
    }

    void release(Kind kind, String key, String token) {
        expect("ok", ask(kind.prefix() + "r", key, token));
    }

    private static String token(String answer, String expected) {
        String[] words = answer.split(" ", -1);
        if (words.length != 3 || !words[0].equals(expected)) {
            throw new BenchException("answered '" + answer + "'");
        }
        return words[1];
    }

    private static void expect(String expected, String answer) {
        if (!answer.equals(expected)) {
            throw new BenchException("answered '" + answer + "' instead of '" + expected + "'");
        }
    }

    private String ask(String command, String key, String argument) {
        try {
            String frame = command + "\n" + key + "\n" + argument + "\n";
            out.write(frame.getBytes(StandardCharsets.ISO_8859_1));
            String answer = in.readLine();
            if (answer == null) {
                throw new BenchException("the gateway has closed the connection after '" + command + "'");
            }
            return answer;
        } catch (IOException e) {
            throw new BenchException("no answer to '" + command + "'", e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new BenchException("a connection could not be closed", e);
        }
    }
}
