package io.flockgate.bench.durable;

import io.flockgate.bench.BenchException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Prints the pairs per second of detached clients beside the flushes per second of the disk, which
 * are measured before and after.
 */
public final class DurableMain {
    private static final long WARM_UP_MILLIS = 3_000;

    /** About as much as one grant in the journal. */
    private static final int BYTES = 300;

    private DurableMain() {}

    /**
     * Measures once.
     *
     * @param args port, data directory, clients, seconds
     */
    @SuppressWarnings("SystemOut") // is the result
    public static void main(String[] args) throws IOException, InterruptedException {
        Path directory = Path.of(args[1]);
        int clients = Integer.parseInt(args[2]);
        Duration time = Duration.ofSeconds(Long.parseLong(args[3]));
        double before = flushesPerSecond(directory, time);
        double pairs = pairsPerSecond(Integer.parseInt(args[0]), clients, time);
        double flushes = (before + flushesPerSecond(directory, time)) / 2;
        System.out.printf("| %d | %.0f | %.0f | %.2f |%n", clients, pairs, flushes, pairs / flushes);
    }

    private static double pairsPerSecond(int port, int many, Duration time) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(many);
        List<PairClient> clients = IntStream.range(0, many)
                .mapToObj(i -> new PairClient(port, "key-" + i, ready))
                .toList();
        List<Thread> threads = clients.stream()
                .map(each -> Thread.ofPlatform().daemon().start(each))
                .toList();
        ready.await();
        Thread.sleep(WARM_UP_MILLIS);
        long begin = System.nanoTime();
        long first = clients.stream().mapToLong(PairClient::pairs).sum();
        Thread.sleep(time.toMillis());
        long count = clients.stream().mapToLong(PairClient::pairs).sum() - first;
        double rate = count * 1e9 / (System.nanoTime() - begin);
        if (!threads.stream().allMatch(Thread::isAlive)) {
            throw new BenchException("a client has ended");
        }
        clients.forEach(PairClient::stop);
        for (Thread each : threads) {
            each.join();
        }
        return rate;
    }

    /** The flushes per second of a temporary file in this directory. */
    private static double flushesPerSecond(Path directory, Duration time) throws IOException {
        Path file = Files.createTempFile(directory, "flush", ".tmp");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long begin = System.nanoTime();
            long count = 0;
            for (; System.nanoTime() - begin < time.toNanos(); count++) {
                int unused = channel.write(ByteBuffer.allocate(BYTES));
                channel.force(false);
            }
            return count * 1e9 / (System.nanoTime() - begin);
        } finally {
            Files.delete(file);
        }
    }

    /** A detached client that acquires and releases its own lock until it is stopped. */
    private static final class PairClient implements Runnable {
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
}
