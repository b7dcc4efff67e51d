package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Member;
import io.flockgate.roster.Pause;
import io.flockgate.roster.Roster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What has changed in some rosters, as bytes. All numbers are big-endian; a text is its length in UTF-16 units (4 bytes) and
 * these units, so that no two texts have the same bytes; a time is its second (8) and nanosecond (4).
 *
 * <pre>
 * 1 group lastFence(8) paused(1) [since reason]          a group's fence and pause, before its members
 * 2 group id fence(8) since lastSeen address gateway     a member, in place of one of the same id
 * 3 group id                                             a member has left
 * </pre>
 */
final class Changes {
    private static final int GROUP = 1;
    private static final int MEMBER = 2;
    private static final int LEFT = 3;

    private Changes() {}

    /** What makes rosters as they were into those that are given; those that are not given stay. */
    static byte[] encode(Map<String, Roster> before, Map<String, Roster> after) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        after.forEach((group, roster) -> write(out, group, before.getOrDefault(group, Roster.EMPTY), roster));
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, String group, Roster before, Roster after) {
        try {
            if (before.lastFence() != after.lastFence() || !before.pause().equals(after.pause())) {
                writeGroup(out, group, after);
            }
            for (String id : before.members().keySet()) {
                if (!after.members().containsKey(id)) {
                    out.writeByte(LEFT);
                    writeText(out, group);
                    writeText(out, id);
                }
            }
            for (Member member : after.members().values()) {
                if (!member.equals(before.members().get(member.id()))) {
                    writeMember(out, group, member);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }

    private static void writeGroup(DataOutputStream out, String group, Roster roster) throws IOException {
        out.writeByte(GROUP);
        writeText(out, group);
        out.writeLong(roster.lastFence());
        out.writeBoolean(roster.pause().isPresent());
        if (roster.pause().isPresent()) {
            writeTime(out, roster.pause().get().since());
            writeText(out, roster.pause().get().reason());
        }
    }

    private static void writeMember(DataOutputStream out, String group, Member member) throws IOException {
        out.writeByte(MEMBER);
        writeText(out, group);
        writeText(out, member.id());
        out.writeLong(member.fence());
        writeTime(out, member.since());
        writeTime(out, member.lastSeen());
        writeText(out, member.address());
        writeText(out, member.gateway());
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        out.writeInt(text.length());
        out.writeChars(text);
    }

    private static void writeTime(DataOutputStream out, Instant time) throws IOException {
        out.writeLong(time.getEpochSecond());
        out.writeInt(time.getNano());
    }

    /**
     * Makes the changes.
     *
     * @throws IOException when these bytes are not changes
     */
    static void apply(byte[] changes, Map<String, Roster> rosters) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(changes));
        try {
            for (int kind = in.read(); kind >= 0; kind = in.read()) {
                String group = readText(in);
                Roster roster = rosters.getOrDefault(group, Roster.EMPTY);
                rosters.put(group, applied(kind, in, roster));
            }
        } catch (DateTimeException e) {
            throw new IOException("a time that is none", e);
        }
    }

    private static Roster applied(int kind, DataInputStream in, Roster roster) throws IOException {
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
        String id = readText(in);
        long fence = in.readLong();
        Instant since = readTime(in);
        Instant lastSeen = readTime(in);
        return new Member(id, fence, since, lastSeen, readText(in), readText(in));
    }

    private static Instant readTime(DataInputStream in) throws IOException {
        long second = in.readLong();
        return Instant.ofEpochSecond(second, in.readInt());
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
