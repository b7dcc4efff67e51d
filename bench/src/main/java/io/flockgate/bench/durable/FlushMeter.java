package io.flockgate.bench.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** Measures how often a disk makes a short append durable, one after the other. */
final class FlushMeter {
    /** About as much as one grant in the journal. */
    private static final int BYTES = 300;

    private FlushMeter() {}

    /** The flushes a second of a new file in this directory, which is deleted again. */
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
