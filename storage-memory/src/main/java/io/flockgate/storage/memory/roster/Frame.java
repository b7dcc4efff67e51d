package io.flockgate.storage.memory.roster;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One step of a journal: changes that are made together or not at all.
 *
 * <pre>
 * mark(4) length(4) sequence(8) crc(4) changes(length)
 * </pre>
 *
 * The checksum is CRC-32C over length, sequence and changes.
 *
 * @param sequence 1 for the first of a file, and one more for each
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Frame(long sequence, byte[] changes) {
    /** Half surrogates in the wrong order, which no text has: a look for frames does not stop at every name. */
    static final int MARK = 0xdffed8f1;

    static final int HEAD = 20;

    byte[] encode() {
        return ByteBuffer.allocate(HEAD + changes.length)
                .putInt(MARK)
                .putInt(changes.length)
                .putLong(sequence)
                .putInt(checksum(sequence, changes))
                .put(changes)
                .array();
    }

    int size() {
        return HEAD + changes.length;
    }

    /** The frame that begins at this place; null when there is no whole and intact one. */
    static @Nullable Frame at(byte[] file, int offset) {
        if (file.length - offset < HEAD) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(file, offset, file.length - offset);
        int mark = in.getInt();
        int length = in.getInt();
        long sequence = in.getLong();
        int checksum = in.getInt();
        if (mark != MARK || length < 0 || length > in.remaining()) {
            return null;
        }
        byte[] changes = Arrays.copyOfRange(file, in.position(), in.position() + length);
        return checksum(sequence, changes) == checksum ? new Frame(sequence, changes) : null;
    }

    private static int checksum(long sequence, byte[] changes) {
        CRC32C crc = new CRC32C();
        crc.update(
                ByteBuffer.allocate(12).putInt(changes.length).putLong(sequence).flip());
        crc.update(changes);
        return (int) crc.getValue();
    }
}
