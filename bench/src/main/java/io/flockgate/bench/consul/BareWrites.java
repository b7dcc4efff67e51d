package io.flockgate.bench.consul;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes to Consul without a gateway, each connection one after the other. Gateways are compared with them. */
final class BareWrites {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final Pattern INDEX = Pattern.compile("\"ModifyIndex\":(\\d+)");

    private BareWrites() {}

    /** Transactions a second on one connection. Each is a check-and-set on the index that the one before returned. */
    static double conditional(URI consul, Duration time) {
        try (Connection connection = new Connection(consul)) {
            String index = "0";
            long writes = 0;
            long start = System.nanoTime();
            for (long end = start + time.toNanos(); System.nanoTime() < end; writes++) {
                String answer = connection.put(
                        "/v1/txn",
                        "[{\"KV\":{\"Verb\":\"" + (writes == 0 ? "set" : "cas")
                                + "\",\"Key\":\"bare/one\",\"Value\":\"YmFyZQ==\",\"Flags\":" + writes
                                + ",\"Index\":" + index + "}}]");
                Matcher found = INDEX.matcher(answer);
                if (!found.find()) {
                    throw new BenchException("Consul answered a transaction with " + answer);
                }
                index = found.group(1);
            }
            return writes * 1e9 / (System.nanoTime() - start);
        } catch (IOException e) {
            throw new BenchException("a bare write failed", e);
        }
    }

    /** Plain writes a second, by several connections, each to a key of its own. */
    static double puts(List<URI> consuls, int connections, Duration time) {
        long start = System.nanoTime();
        long end = start + time.toNanos();
        List<Future<Long>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < connections; i++) {
                URI consul = consuls.get(i % consuls.size());
                String path = "/v1/kv/bare/" + i;
                running.add(threads.submit(() -> puts(consul, path, end)));
            }
            long writes = running.stream().mapToLong(ManyClients::result).sum();
            return writes * 1e9 / (System.nanoTime() - start);
        }
    }

    private static long puts(URI consul, String path, long end) throws IOException {
        long writes = 0;
        try (Connection connection = new Connection(consul)) {
            for (; System.nanoTime() < end; writes++) {
                String unused = connection.put(path, Long.toString(writes));
            }
        }
        return writes;
    }

    private static final class Connection implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;
        private final String host;

        Connection(URI consul) throws IOException {
            socket = new Socket(consul.getHost(), consul.getPort());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.setSoTimeout(PATIENCE_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
            host = consul.getAuthority();
        }

        String put(String path, String body) throws IOException {
            String request = "PUT " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: " + body.length()
                    + "\r\n\r\n" + body;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String status = line();
            int length = 0;
            for (String header = line(); !header.isEmpty(); header = line()) {
                if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(header.substring(15).strip());
                }
            }
            String answer = new String(in.readNBytes(length), StandardCharsets.UTF_8);
            if (!status.startsWith("HTTP/1.1 200")) {
                throw new IOException(status + ": " + answer);
            }
            return answer;
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new IOException("Consul has closed the connection");
                }
                if (c != '\r') {
                    line.append((char) c);
                }
            }
            return line.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
