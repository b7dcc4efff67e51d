package io.flockgate.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A lock server of the simplest sort, in this process: a thread per connection, a fair semaphore per key. */
class FakeServer implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    private final Map<String, Semaphore> keys = new ConcurrentHashMap<>();
    private final AtomicLong grants = new AtomicLong();
    private final AtomicLong releases = new AtomicLong();
    private final int permits;
    final UnaryOperator<String> tamper;

    /**
     * Serves at once.
     *
     * @param permits how many may hold a key: more than the client expects makes a broken server
     * @param tamper gets each answer and may change it
     */
    FakeServer(int permits, UnaryOperator<String> tamper) throws IOException {
        this.permits = permits;
        this.tamper = tamper;
        Thread.ofVirtual().start(this::accept);
    }

    FakeServer() throws IOException {
        this(1, answer -> answer);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    long grants() {
        return grants.get();
    }

    long releases() {
        return releases.get();
    }

    int keys() {
        return keys.size();
    }

    Set<String> keyNames() {
        return keys.keySet();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            OutputStream out = socket.getOutputStream();
            for (String answer = exchange(in); answer != null; answer = exchange(in)) {
                out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
            }
        } catch (IOException | InterruptedException e) {
            // The client left.
        }
    }

    /** Reads one request; the bytes of its answer, or null at the end. */
    @Nullable
    String exchange(BufferedReader in) throws IOException, InterruptedException {
        String command = in.readLine();
        return command == null ? null : tamper.apply(answer(command, in.readLine(), in.readLine())) + "\n";
    }

    final String answer(String command, String key, String argument) throws InterruptedException {
        return switch (command) {
            case "ping" -> "ok";
            case "auth" -> argument.equals("secret") ? "ok" : "error_auth";
            case "l", "sl", "w" -> {
                if (!command.equals("w")) {
                    semaphore(key).acquire();
                }
                yield "ok " + token() + " 10";
            }
            case "e" -> {
                semaphore(key).acquire();
                yield "acquired " + token() + " 10";
            }
            case "r", "sr" -> {
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

    private String token() {
        return String.format("%032x", grants.incrementAndGet());
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
