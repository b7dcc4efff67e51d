package io.flockgate.bench.consul;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes to Consul without a gateway, each connection one after the other. Gateways are compared with them. */
final class BareWrites {
    private static final Pattern INDEX = Pattern.compile("\"ModifyIndex\":(\\d+)");

    private BareWrites() {}

    /** Transactions a second on one connection. Each is a check-and-set on the index that the one before returned. */
    static double conditional(URI consul, Duration time) {
        try (ConsulConnection connection = new ConsulConnection(consul)) {
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
        try (ConsulConnection connection = new ConsulConnection(consul)) {
            for (; System.nanoTime() < end; writes++) {
                connection.put(path, Long.toString(writes));
            }
        }
        return writes;
    }
}
