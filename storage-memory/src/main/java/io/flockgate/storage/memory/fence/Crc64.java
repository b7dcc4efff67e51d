package io.flockgate.storage.memory.fence;

/**
 * Computes the CRC-64 of dflockd's state files, which the JDK lacks. It has the ISO polynomial,
 * reflected, and an initial value and final XOR of all ones.
 */
final class Crc64 {
    private static final long POLYNOMIAL = 0xD800000000000000L;

    private Crc64() {}

    /**
     * The checksum of {@code length} bytes. Computed bit by bit, because only one record is needed
     * per half a million fences.
     */
    static long of(byte[] bytes, int from, int length) {
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
