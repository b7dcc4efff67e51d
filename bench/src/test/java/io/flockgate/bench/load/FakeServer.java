package io.flockgate.bench.load;

import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * A lock server of the simplest sort, in this process: a thread per connection, a fair semaphore
 * per key.
 */
final class FakeServer implements AutoCloseable {
    private final Map<String, Semaphore> keys = new ConcurrentHashMap<>();
    private final AtomicLong grants = new AtomicLong();
    private final AtomicLong releases = new AtomicLong();
    private final int permits;
    private final UnaryOperator<String> tamper;
    private final ScriptedServer server;

    /**
     * Starts serving.
     *
     * @param permits the maximum number of holders of a key; more than the client expects makes a
     *     broken server
     * @param tamper receives each answer and may change it
     */
    FakeServer(int permits, UnaryOperator<String> tamper) {
        this.permits = permits;
        this.tamper = tamper;
        this.server = ScriptedServer.ofConnections(this::serve);
    }

    FakeServer() {
        this(1, answer -> answer);
    }

    int port() {
        return server.port();
    }

    long grants() {
        return grants.get();
    }

    long releases() {
        return releases.get();
    }

    Set<String> keys() {
        return keys.keySet();
    }

    private void serve(Socket socket) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        OutputStream out = socket.getOutputStream();
        try {
            for (String command = in.readLine(); command != null; command = in.readLine()) {
                String answer = tamper.apply(answer(command, in.readLine(), in.readLine())) + "\n";
                out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(String command, String key, String argument) throws InterruptedException {
        return switch (command) {
            case "ping" -> "ok";
            case "l" -> {
                semaphore(key).acquire();
                yield String.format("ok %032x %s", grants.incrementAndGet(), argument.split(" ", -1)[1]);
            }
            case "r" -> {
                releases.incrementAndGet();
                semaphore(key).release();
                yield "ok";
            }
            default -> "error";
        };
    }

    private Semaphore semaphore(String key) {
        return keys.computeIfAbsent(key, absent -> new Semaphore(permits, true));
    }

    @Override
    public void close() {
        server.close();
    }
}
