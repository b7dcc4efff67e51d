package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flockgate.roster.Member;
import io.flockgate.roster.Pause;
import io.flockgate.roster.Roster;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the journal in which earlier versions kept rosters: a header line, then frames of changes. Numbers are big-endian. A text
 * is its length in UTF-16 units (4 bytes) and these units. A time is its second (8) and nanosecond (4).
 *
 * <pre>
 * frame: mark(4) length(4) sequence(8) crc(4) changes(length)    the checksum is CRC-32C over length, sequence and changes
 * change: 1 group lastFence(8) paused(1) [since reason]          a group's fence and pause
 *         2 group id fence(8) since lastSeen address gateway     a member, in place of one of the same id
 *         3 group id                                             a member that has left
 * </pre>
 *
 * The header and the first frame were durable before the file got its name, and each frame before the next was begun. So an
 * interrupted write explains damage in the last of several frames only. Nobody was answered from that frame.
 */
final class JournalReader {
    private static final byte[] HEADER = "flockgate fleetlock journal 1\n".getBytes(US_ASCII);

    /** Half surrogates in the wrong order, which are rare in texts. */
    private static final int MARK = 0xdffed8f1;

    private static final int FRAME_HEAD = 20;
    private static final int GROUP = 1;
    private static final int MEMBER = 2;
    private static final int LEFT = 3;

    private final byte[] file;
    private final Map<String, Roster> rosters = new HashMap<>();

    private JournalReader(byte[] file) {
        this.file = file;
    }

    /**
     * The content of a journal.
     *
     * @param rosters by group
     * @param length the bytes of the whole frames; the last write was interrupted if the file has more
     */
    record Content(Map<String, Roster> rosters, int length) {}

    /** @throws IOException if an interrupted write does not explain the damage, or if this is no journal */
    static Content read(byte[] file) throws IOException {
        return new JournalReader(file).read();
    }

    private Content read() throws IOException {
        if (!Arrays.equals(file, 0, Math.min(file.length, HEADER.length), HEADER, 0, HEADER.length)) {
            throw new IOException("it is not a journal of version 1, or its first line is damaged");
        }
        int offset = HEADER.length;
        long frames = 0;
        for (byte[] changes = frame(offset, frames + 1); changes != null; changes = frame(offset, frames + 1)) {
            apply(changes, offset);
            offset += FRAME_HEAD + changes.length;
            frames++;
        }
        if (frames == 0 || hasFrameAfter(offset)) {
            throw new IOException("it is damaged at byte " + offset + ", which no interrupted write explains");
        }
        return new Content(Map.copyOf(rosters), offset);
    }

    /** The changes of the frame at this place; null if it is not whole and intact. Any sequence number will do if 0 is wanted. */
    private byte @Nullable [] frame(int offset, long wanted) {
        if (file.length - offset < FRAME_HEAD) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(file, offset, file.length - offset);
        int mark = in.getInt();
        int length = in.getInt();
        long sequence = in.getLong();
        int checksum = in.getInt();
        if (mark != MARK || length < 0 || length > in.remaining() || (wanted != 0 && wanted != sequence)) {
            return null;
        }
        CRC32C crc = new CRC32C();
        crc.update(file, offset + Integer.BYTES, Integer.BYTES + Long.BYTES);
        crc.update(file, in.position(), length);
        return (int) crc.getValue() == checksum
                ? Arrays.copyOfRange(file, in.position(), in.position() + length)
                : null;
    }

    private boolean hasFrameAfter(int offset) {
        for (int i = offset; i <= file.length - FRAME_HEAD; i++) {
            if (frame(i, 0) != null) {
                return true;
            }
        }
        return false;
    }

    private void apply(byte[] changes, int offset) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(changes));
        try {
            for (int kind = in.read(); kind >= 0; kind = in.read()) {
                String group = readText(in);
                Roster roster = rosters.getOrDefault(group, Roster.EMPTY);
                rosters.put(group, changed(kind, in, roster));
            }
        } catch (IOException | DateTimeException e) {
            throw new IOException("its changes at byte " + offset + " make no sense: " + e.getMessage(), e);
        }
    }

    private static Roster changed(int kind, DataInputStream in, Roster roster) throws IOException {
        return switch (kind) {
            case GROUP -> new Roster(in.readLong(), readPause(in), roster.members());
            case MEMBER -> roster.with(readMember(in));
            case LEFT -> roster.without(readText(in));
            default -> throw new IOException("a change of unknown kind " + kind);
        };
    }

    private static Optional<Pause> readPause(DataInputStream in) throws IOException {
        return in.readBoolean() ? Optional.of(new Pause(readTime(in), readText(in))) : Optional.empty();
    }

    private static Member readMember(DataInputStream in) throws IOException {
        return new Member(readText(in), in.readLong(), readTime(in), readTime(in), readText(in), readText(in));
    }

    private static Instant readTime(DataInputStream in) throws IOException {
        return Instant.ofEpochSecond(in.readLong(), in.readInt());
    }

    private static String readText(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available() / Character.BYTES) {
            throw new EOFException("a text that is longer than its changes");
        }
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(in.readChar());
        }
        return text.toString();
    }
}
