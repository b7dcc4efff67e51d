package io.flockgate.bench.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** Measures how many short appends per second a disk makes durable, one after another. */
final class FlushMeter {
    /** About as much as one grant in the journal. */
    private static final int BYTES = 300;

    private FlushMeter() {}

    /** The flushes per second of a temporary file in this directory. */
    static double flushesPerSecond(Path directory, Duration time) throws IOException {
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
