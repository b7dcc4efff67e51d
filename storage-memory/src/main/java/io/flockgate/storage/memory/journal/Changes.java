package io.flockgate.storage.memory.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The records of a journal other than {@link GrantRecord}. All numbers are big-endian.
 *
 * <pre>
 * 'E'  fence (8)                        a grant has ended
 * 'L'  fence (8)  lease in seconds (8)  a renewal has made a lease longer than before
 * 'F'  ceiling (8)                      no fence above it has been issued
 * 'I'  id (8)                           the id of all grants of this journal
 * </pre>
 */
final class Changes {
    static final byte END = 'E';
    static final byte LEASE = 'L';
    static final byte CEILING = 'F';
    static final byte ID = 'I';

    private static final int LENGTH = 1 + Long.BYTES;

    private Changes() {}

    static byte[] end(long fence) {
        return record(END, fence, LENGTH).array();
    }

    static byte[] lease(long fence, long seconds) {
        return record(LEASE, fence, LENGTH + Long.BYTES).putLong(seconds).array();
    }

    static byte[] ceiling(long fence) {
        return record(CEILING, fence, LENGTH).array();
    }

    static byte[] id(long id) {
        return record(ID, id, LENGTH).array();
    }

    private static ByteBuffer record(byte type, long number, int length) {
        return ByteBuffer.allocate(length).put(type).putLong(number);
    }

    /** Checks a record that was read from a file. */
    static void check(byte[] record) throws IOException {
        int length = switch (record.length == 0 ? 0 : record[0]) {
            case END, CEILING, ID -> LENGTH;
            case LEASE -> LENGTH + Long.BYTES;
            case GrantRecord.TYPE -> {
                GrantRecord unused = GrantRecord.decode(record);
                yield record.length;
            }
            default -> -1;
        };
        if (record.length != length) {
            throw new IOException("a record is of no known form");
        }
    }

    /** The first number of a record, including that of a grant: its fence, or the id. */
    static long fence(byte[] record) {
        return ByteBuffer.wrap(record).getLong(1);
    }

    static long seconds(byte[] record) {
        return ByteBuffer.wrap(record).getLong(LENGTH);
    }
}
