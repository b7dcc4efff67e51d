package io.flockgate.bench.durable;

import io.flockgate.bench.PairClients;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Prints the pairs per second of detached clients beside the flushes per second of the disk, which
 * are measured before and after.
 */
public final class DurableMain {
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    /** About as much as one grant in the journal. */
    private static final int BYTES = 300;

    private DurableMain() {}

    /**
     * Measures once.
     *
     * @param args port, data directory, clients, seconds
     */
    @SuppressWarnings("SystemOut") // is the result
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[1]);
        int clients = Integer.parseInt(args[2]);
        Duration time = Duration.ofSeconds(Long.parseLong(args[3]));
        double before = flushesPerSecond(directory, time);
        double pairs = pairsPerSecond(Integer.parseInt(args[0]), clients, time);
        double flushes = (before + flushesPerSecond(directory, time)) / 2;
        System.out.printf("| %d | %.0f | %.0f | %.2f |%n", clients, pairs, flushes, pairs / flushes);
    }

    private static double pairsPerSecond(int port, int many, Duration time) {
        try (PairClients clients = new PairClients(port, many, "key", true)) {
            Histogram unused = clients.measure(WARM_UP);
            long begin = System.nanoTime();
            return clients.measure(time).getTotalCount() * 1e9 / (System.nanoTime() - begin);
        }
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
}
