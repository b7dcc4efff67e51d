package io.flockgate.storage.memory.journal;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One record of dflockd's fence state files: a durable ceiling and its number in the order of
 * writing. All numbers are big-endian.
 *
 * <pre>
 * magic (8)  sequence (8)  ceiling (8)  CRC-64 of what is before it (8)
 * </pre>
 *
 * @param sequence unsigned, at least 1; 0 stands for a ceiling that is not in a record yet (an
 *     empty or a legacy file)
 * @param ceiling unsigned; no fence above it has been issued
 */
record FenceRecord(long sequence, long ceiling) {
    static final int SIZE = 32;

    /** The maximum length of a valid file: two slots. */
    static final int MAX_FILE = 2 * SIZE;

    private static final int LEGACY_SIZE = Long.BYTES;
    private static final int CHECKED = SIZE - Long.BYTES;

    /** ASCII {@code dflfnc1} and a line feed. */
    private static final long MAGIC = 0x64666c666e63310aL;

    /** The ISO polynomial, reflected. */
    private static final long POLYNOMIAL = 0xD800000000000000L;

    /** The 32 bytes of this record. */
    byte[] encode() {
        byte[] bytes = new byte[SIZE];
        ByteBuffer.wrap(bytes).putLong(MAGIC).putLong(sequence).putLong(ceiling).putLong(crc64(bytes, 0, CHECKED));
        return bytes;
    }

    /** The offset of this record in the file: odd sequences at 0, even ones at 32. */
    int offset() {
        return (sequence & 1) == 1 ? 0 : SIZE;
    }

    /**
     * The record in the 32 bytes at {@code from}; empty when there are fewer bytes, or they are not
     * a valid record.
     */
    static Optional<FenceRecord> decode(byte[] bytes, int from) {
        if (bytes.length - from < SIZE) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, from, SIZE);
        boolean magic = in.getLong() == MAGIC;
        FenceRecord found = new FenceRecord(in.getLong(), in.getLong());
        boolean intact = in.getLong() == crc64(bytes, from, CHECKED);
        return magic && intact && found.sequence != 0 ? Optional.of(found) : Optional.empty();
    }

    /**
     * The newest record of a whole file. The length decides: empty file, legacy 8 bytes, or one to
     * two slots. Empty when the file has any other length, or no slot is valid.
     */
    static Optional<FenceRecord> newest(byte[] file) {
        if (file.length == 0) {
            return Optional.of(new FenceRecord(0, 0));
        }
        if (file.length == LEGACY_SIZE) {
            return Optional.of(new FenceRecord(0, ByteBuffer.wrap(file).getLong()));
        }
        if (file.length < SIZE || file.length > MAX_FILE) {
            return Optional.empty();
        }
        Optional<FenceRecord> first = decode(file, 0);
        Optional<FenceRecord> second = decode(file, SIZE);
        return first.isPresent() && second.isPresent()
                ? first.map(a -> later(a, second.get()))
                : first.or(() -> second);
    }

    private static FenceRecord later(FenceRecord a, FenceRecord b) {
        return Long.compareUnsigned(a.sequence, b.sequence) > 0 ? a : b;
    }

    /**
     * The CRC-64 of the bytes, which the JDK lacks, with an initial value and final XOR of all
     * ones. Computed bit by bit, because only one record is needed per half a million fences.
     */
    static long crc64(byte[] bytes, int from, int length) {
        long crc = -1L;
        for (int i = from; i < from + length; i++) {
            crc ^= bytes[i] & 0xFFL;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
            }
        }
        return ~crc;
    }
}
