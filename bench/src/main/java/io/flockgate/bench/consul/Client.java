package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * One connection of the line protocol that sleeps while it waits for an answer: unlike the load
 * driver, it leaves the cores to the processes that work. Any answer but the expected one is an
 * exception or an error. For use by one thread at a time.
 */
final class Client implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(700);

    private final LineClient line;

    Client(InetSocketAddress gateway) {
        try {
            line = LineClient.connect(gateway).patience(PATIENCE);
        } catch (IOException e) {
            throw new BenchException("no connection to " + gateway, e);
        }
    }

    /** The kind of key to acquire: a lock, which has limit 1, or a semaphore. */
    record Kind(String prefix, int limit) {
        static final Kind LOCK = new Kind("", 1);

        static Kind semaphore(int limit) {
            return new Kind("s", limit);
        }

        /** The limit as written in an argument. */
        String argument() {
            return prefix.isEmpty() ? "" : limit + " ";
        }

        @Override
        public String toString() {
            return prefix.isEmpty() ? "lock" : "semaphore of " + limit;
        }
    }

    /** Waits for the key and returns the token. */
    String acquire(Kind kind, String key, int leaseSeconds) {
        return HeldGrant.of(key, ask(kind.prefix() + "l", key, "600 " + kind.argument() + leaseSeconds))
                .token();
    }

    /** Queues for a key that is held. */
    void enqueue(Kind kind, String key, int leaseSeconds) {
        expect("queued", ask(kind.prefix() + "e", key, kind.argument() + leaseSeconds));
    }

    /** Waits for the claim that {@link #enqueue} has made, and returns the token. */
    String await(Kind kind, String key) {
        return HeldGrant.of(key, ask(kind.prefix() + "w", key, "600")).token();
    }

    void renew(Kind kind, String key, String token, int leaseSeconds) {
        expect("ok " + leaseSeconds, ask(kind.prefix() + "n", key, token + " " + leaseSeconds));
    }

    void release(Kind kind, String key, String token) {
        expect("ok", ask(kind.prefix() + "r", key, token));
    }

    private static void expect(String expected, String answer) {
        if (!answer.equals(expected)) {
            throw new BenchException("answered '" + answer + "' instead of '" + expected + "'");
        }
    }

    private String ask(String command, String key, String argument) {
        try {
            return line.ask(command, key, argument);
        } catch (IOException e) {
            throw new BenchException("no answer to '" + command + "'", e);
        }
    }

    @Override
    public void close() {
        try {
            line.close();
        } catch (IOException e) {
            throw new BenchException("a connection could not be closed", e);
        }
    }
}
