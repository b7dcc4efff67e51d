package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The content of a journal's file: a head line, then frames. All numbers are big-endian.
 *
 * <pre>
 * head     flockgate-journal 1 grants\n       the format, and what the records are
 * frame    magic (4)  length (4)  CRC-32C of length and payload (4)  payload
 * payload  {length (4)  record}*
 * </pre>
 *
 * The first frame without a record ends the snapshot with which the file was created. Its name was
 * made durable after its content, so a fault in the snapshot is damage. After it, each frame was
 * made durable before the next one was written, so a fault followed by an intact frame is damage as
 * well. A fault without one is the torn end of a write that was never confirmed.
 */
final class Frames {
    /**
     * The magic begins with a line feed, which no key contains, so that no client can send the
     * bytes of a frame.
     */
    private static final int MAGIC = 0x0a_46_4c_4a;

    private static final int HEAD_BYTES = 12;
    private static final String ANY_FORMAT = "flockgate-journal ";
    private static final String THIS_FORMAT = ANY_FORMAT + "1 ";

    private Frames() {}

    /**
     * The content read from a file.
     *
     * @param records all records, in their order
     * @param length the number of bytes up to the end of the last intact frame
     */
    record Content(List<byte[]> records, int length) {}

    static byte[] head(String kind) {
        return (THIS_FORMAT + kind + "\n").getBytes(US_ASCII);
    }

    static byte[] frame(List<byte[]> records) {
        int length = 0;
        for (byte[] each : records) {
            length += Integer.BYTES + each.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(HEAD_BYTES + length);
        frame.putInt(MAGIC).putInt(length).position(HEAD_BYTES);
        for (byte[] each : records) {
            frame.putInt(each.length).put(each);
        }
        frame.putInt(Long.BYTES, checksum(frame.array(), 0, length));
        return frame.array();
    }

    private static int checksum(byte[] file, int frame, int length) {
        CRC32C crc = new CRC32C();
        crc.update(file, frame + Integer.BYTES, Integer.BYTES);
        crc.update(file, frame + HEAD_BYTES, length);
        return (int) crc.getValue();
    }

    /**
     * Reads a whole file.
     *
     * @throws IOException if it is damaged, or is not a journal of this kind and format; with the
     *     reason for an operator
     */
    static Content read(byte[] file, String kind) throws IOException {
        int at = checkHead(file, head(kind));
        List<byte[]> records = new ArrayList<>();
        boolean inSnapshot = true;
        for (int length = intact(file, at); length >= 0; length = intact(file, at)) {
            inSnapshot &= length > 0;
            split(file, at + HEAD_BYTES, length, records);
            at += HEAD_BYTES + length;
        }
        if (inSnapshot || hasIntact(file, at + 1)) {
            throw new IOException("it is damaged at byte " + at);
        }
        return new Content(records, at);
    }

    private static int checkHead(byte[] file, byte[] head) throws IOException {
        if (file.length >= head.length && Arrays.equals(file, 0, head.length, head, 0, head.length)) {
            return head.length;
        }
        String begin = new String(file, 0, Math.min(file.length, head.length), US_ASCII);
        throw new IOException(
                begin.startsWith(THIS_FORMAT)
                        ? "it is damaged: its first line is not as it was written"
                        : begin.startsWith(ANY_FORMAT)
                                ? "another version of this program wrote it"
                                : "it does not begin as a journal does");
    }

    /**
     * The length of the payload of the frame at this position; negative if there is no intact
     * frame.
     */
    private static int intact(byte[] file, int at) {
        if (file.length - at < HEAD_BYTES) {
            return -1;
        }
        ByteBuffer head = ByteBuffer.wrap(file, at, HEAD_BYTES);
        if (head.getInt() != MAGIC) {
            return -1;
        }
        int length = head.getInt();
        boolean fits = length >= 0 && length <= file.length - at - HEAD_BYTES;
        return fits && head.getInt() == checksum(file, at, length) ? length : -1;
    }

    private static boolean hasIntact(byte[] file, int from) {
        for (int at = from; at <= file.length - HEAD_BYTES; at++) {
            if (intact(file, at) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static void split(byte[] file, int from, int length, List<byte[]> records) throws IOException {
        ByteBuffer payload = ByteBuffer.wrap(file, from, length);
        while (payload.hasRemaining()) {
            int size = payload.remaining() < Integer.BYTES ? -1 : payload.getInt();
            if (size < 0 || size > payload.remaining()) {
                throw new IOException("it is damaged at byte " + payload.position());
            }
            byte[] record = new byte[size];
            payload.get(record);
            records.add(record);
        }
    }
}
