package io.flockgate.storage.memory.kept;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The records of a journal of grants other than {@link GrantRecord}.
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

    private static final int NUMBERS = 1;

    private Changes() {}

    static byte[] end(long fence) {
        return record(END, Long.BYTES).putLong(fence).array();
    }

    static byte[] lease(long fence, long seconds) {
        return record(LEASE, 2 * Long.BYTES).putLong(fence).putLong(seconds).array();
    }

    static byte[] ceiling(long fence) {
        return record(CEILING, Long.BYTES).putLong(fence).array();
    }

    static byte[] id(long id) {
        return record(ID, Long.BYTES).putLong(id).array();
    }

    private static ByteBuffer record(byte type, int length) {
        return ByteBuffer.allocate(NUMBERS + length).put(type);
    }

    /** The type of a record, after which its numbers can be read. */
    static byte type(byte[] record) throws IOException {
        byte type = record.length == 0 ? 0 : record[0];
        int length = switch (type) {
            case END, CEILING, ID -> NUMBERS + Long.BYTES;
            case LEASE -> NUMBERS + 2 * Long.BYTES;
            case GrantRecord.TYPE -> record.length;
            default -> -1;
        };
        if (record.length != length) {
            throw new IOException("a record is of no known form");
        }
        return type;
    }

    /** The first number of a record: a fence, or the id. */
    static long fence(byte[] record) {
        return ByteBuffer.wrap(record).getLong(NUMBERS);
    }

    static long seconds(byte[] record) {
        return ByteBuffer.wrap(record).getLong(NUMBERS + Long.BYTES);
    }
}
