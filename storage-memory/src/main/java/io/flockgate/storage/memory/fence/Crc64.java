package io.flockgate.storage.memory.fence;

/** CRC-64 with the ISO polynomial, reflected, initial value and final XOR all ones. */
final class Crc64 {
    private static final long POLYNOMIAL = 0xD800000000000000L;

    private Crc64() {}

    /** The checksum of {@code length} bytes; bit by bit, as only one record in a million fences needs it. */
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
