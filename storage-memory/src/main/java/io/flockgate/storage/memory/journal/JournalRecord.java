package io.flockgate.storage.memory.journal;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A record of a journal. All numbers are big-endian.
 *
 * <pre>
 * 'G'                                   a grant: see {@link GrantRecord}
 * 'E'  fence (8)                        a grant has ended
 * 'L'  fence (8)  lease in seconds (8)  a renewal has made a lease longer than before
 * 'F'  ceiling (8)                      no fence above it has been issued
 * 'I'  id (8)                           the id of all grants of this journal
 * </pre>
 */
sealed interface JournalRecord
        permits GrantRecord, JournalRecord.End, JournalRecord.Lease, JournalRecord.Ceiling, JournalRecord.Id {
    byte GRANT = 'G';
    byte END = 'E';
    byte LEASE = 'L';
    byte CEILING = 'F';
    byte ID = 'I';

    byte[] encode();

    /**
     * Decodes a record that was read from a file.
     *
     * @throws IOException if a journal contains no such record
     */
    static JournalRecord decode(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            JournalRecord record = switch (in.get()) {
                case GRANT -> GrantRecord.decode(in);
                case END -> new End(in.getLong());
                case LEASE -> new Lease(in.getLong(), in.getLong());
                case CEILING -> new Ceiling(in.getLong());
                case ID -> new Id(in.getLong());
                default -> throw new IOException("a record is of no known form");
            };
            if (in.hasRemaining()) {
                throw new IOException("a record is too long");
            }
            return record;
        } catch (BufferUnderflowException e) {
            throw new IOException("a record is too short", e);
        }
    }

    private static byte[] bytes(byte type, long... numbers) {
        ByteBuffer out = ByteBuffer.allocate(1 + numbers.length * Long.BYTES).put(type);
        for (long each : numbers) {
            out.putLong(each);
        }
        return out.array();
    }

    /** The end of a grant. */
    record End(long fence) implements JournalRecord {
        @Override
        public byte[] encode() {
            return bytes(END, fence);
        }
    }

    /** A longer lease of a grant. */
    record Lease(long fence, long seconds) implements JournalRecord {
        @Override
        public byte[] encode() {
            return bytes(LEASE, fence, seconds);
        }
    }

    /** The limit up to which fences may have been issued. */
    record Ceiling(long fence) implements JournalRecord {
        @Override
        public byte[] encode() {
            return bytes(CEILING, fence);
        }
    }

    /** The id of all grants. */
    record Id(long id) implements JournalRecord {
        @Override
        public byte[] encode() {
            return bytes(ID, id);
        }
    }
}
