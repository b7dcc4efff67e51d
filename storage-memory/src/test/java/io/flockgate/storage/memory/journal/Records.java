package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.journal.FenceStateFile.FenceRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Contents of state files for tests. */
final class Records {
    private Records() {}

    static byte[] slot(long sequence, long ceiling) {
        return new FenceRecord(sequence, ceiling).encode();
    }

    static byte[] legacy(long ceiling) {
        return ByteBuffer.allocate(Long.BYTES).putLong(ceiling).array();
    }

    static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    static byte[] flipBit(byte[] bytes, int bit) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        return flipped;
    }
}
