package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flockgate.storage.memory.file.DataDirectory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The content of a journal's file: a head line, then frames. All numbers are big-endian.
 *
 * <pre>
 * head     flockgate-journal 1 grants 9f2b6c01d4e83a57\n
 *          the format, and the file's marker
 * frame    marker (8)  length (4)  CRC-32C of length and payload (4)  payload
 * payload  {length (4)  record}*
 * </pre>
 *
 * The marker is random, so that no client can send records that contain the beginning of a frame.
 *
 * <p>The first frame without a record ends the snapshot with which the file was created. Its name
 * was made durable after its content, so a fault in the snapshot is damage. After it, each frame
 * was made durable before the next one was begun, so a fault before another marker is damage as
 * well. A fault without one is the torn end of a write that was never confirmed.
 */
final class Frames {
    private static final int MARKER_DIGITS = 16;
    private static final int HEAD_BYTES = Long.BYTES + 2 * Integer.BYTES;
    private static final String ANY_FORMAT = "flockgate-journal ";
    private static final String THIS_FORMAT = ANY_FORMAT + "1 grants ";
    private static final Pattern HEAD = Pattern.compile(THIS_FORMAT + "([0-9a-f]{" + MARKER_DIGITS + "})\n");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final long marker;

    /** Receives the records of a file in their order. */
    interface Reader {
        /**
         * Accepts the next record.
         *
         * @throws IOException with the reason for an operator, if the record cannot be from such a
         *     file
         */
        void read(byte[] record) throws IOException;
    }

    private Frames(long marker) {
        this.marker = marker;
    }

    /** Those of a new file. */
    static Frames random() {
        return new Frames(RANDOM.nextLong());
    }

    byte[] head() {
        return (THIS_FORMAT + HexFormat.of().toHexDigits(marker) + "\n").getBytes(US_ASCII);
    }

    byte[] frame(List<byte[]> records) {
        int length = 0;
        for (byte[] each : records) {
            length += Integer.BYTES + each.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(HEAD_BYTES + length);
        frame.putLong(marker).putInt(length).position(HEAD_BYTES);
        for (byte[] each : records) {
            frame.putInt(each.length).put(each);
        }
        frame.putInt(HEAD_BYTES - Integer.BYTES, checksum(length, frame.array(), HEAD_BYTES));
        return frame.array();
    }

    private static int checksum(int length, byte[] bytes, int payload) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
        crc.update(bytes, payload, length);
        return (int) crc.getValue();
    }

    /**
     * Reads a whole file, one frame at a time, so that a file may be larger than the heap.
     *
     * @param records receives all records in their order, also those before a damage
     * @return the number of bytes up to the end of the last intact frame
     * @throws IOException if the file is damaged, or is not a journal of this format; with the
     *     reason for an operator
     */
    static long read(DataDirectory.Content file, Reader records) throws IOException {
        try (InputStream in = new BufferedInputStream(file.open())) {
            byte[] head = in.readNBytes(THIS_FORMAT.length() + MARKER_DIGITS + 1);
            Frames frames = ofHead(new String(head, US_ASCII));
            long at = head.length;
            boolean inSnapshot = true;
            byte[] payload = frames.next(in, file.length() - at);
            while (payload != null) {
                inSnapshot &= payload.length > 0;
                split(payload, at, records);
                at += HEAD_BYTES + payload.length;
                payload = frames.next(in, file.length() - at);
            }
            if (inSnapshot || frames.hasMarker(file, at + 1)) {
                throw damaged(at);
            }
            return at;
        }
    }

    private static Frames ofHead(String head) throws IOException {
        Matcher sound = HEAD.matcher(head);
        if (sound.matches()) {
            return new Frames(HexFormat.fromHexDigitsToLong(sound.group(1)));
        }
        throw new IOException(
                head.startsWith(THIS_FORMAT)
                        ? "it is damaged: its first line is not as it was written"
                        : head.startsWith(ANY_FORMAT)
                                ? "another version of this program wrote it"
                                : "it does not begin as a journal does");
    }

    /**
     * The payload of the next frame; null if there is no intact frame.
     *
     * @param left the number of bytes up to the end of the file
     */
    private byte @Nullable [] next(InputStream in, long left) throws IOException {
        ByteBuffer head = ByteBuffer.wrap(in.readNBytes(HEAD_BYTES));
        if (head.remaining() < HEAD_BYTES || head.getLong() != marker) {
            return null;
        }
        int length = head.getInt();
        if (length < 0 || length > left - HEAD_BYTES) {
            return null;
        }
        byte[] payload = in.readNBytes(length);
        return payload.length == length && head.getInt() == checksum(length, payload, 0) ? payload : null;
    }

    private boolean hasMarker(DataDirectory.Content file, long from) throws IOException {
        try (InputStream in = new BufferedInputStream(file.open())) {
            in.skipNBytes(Math.min(from, file.length()));
            long last = ~marker;
            int bytes = 0;
            for (int next = in.read(); next >= 0; next = in.read()) {
                last = last << Byte.SIZE | next;
                if (++bytes >= Long.BYTES && last == marker) {
                    return true;
                }
            }
            return false;
        }
    }

    private static void split(byte[] bytes, long at, Reader records) throws IOException {
        ByteBuffer payload = ByteBuffer.wrap(bytes);
        while (payload.hasRemaining()) {
            int size = payload.remaining() < Integer.BYTES ? -1 : payload.getInt();
            if (size < 0 || size > payload.remaining()) {
                throw damaged(at);
            }
            byte[] record = new byte[size];
            payload.get(record);
            records.read(record);
        }
    }

    private static IOException damaged(long at) {
        return new IOException("it is damaged at byte " + at);
    }
}
