package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flockgate.roster.Roster;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a journal says.
 *
 * @param rosters by group
 * @param frames how many of its frames are whole
 * @param length up to where it is whole; what is behind was being written when the process or the machine stopped
 */
record Replay(Map<String, Roster> rosters, long frames, int length) {
    /** The first line of a journal, with the version of all that follows. */
    static final byte[] HEADER = "flockgate fleetlock journal 1\n".getBytes(US_ASCII);

    private static final byte[] ANY_VERSION = "flockgate fleetlock journal ".getBytes(US_ASCII);

    Replay {
        rosters = Map.copyOf(rosters);
    }

    /**
     * Reads a whole journal. Its header and first frame were durable before it got its name, and each frame before the next
     * was begun: only the last of two frames or more can be torn.
     *
     * @throws IOException when it has been damaged in another way, or is no journal that we know
     */
    static Replay of(byte[] file) throws IOException {
        if (!startsWith(file, HEADER)) {
            throw new IOException(
                    startsWith(file, ANY_VERSION)
                            ? "it is of another version of this program"
                            : "it is not a journal, or its first line is damaged");
        }
        Map<String, Roster> rosters = new HashMap<>();
        int offset = HEADER.length;
        long frames = 0;
        for (Frame frame = next(file, offset, frames); frame != null; frame = next(file, offset, frames)) {
            apply(frame, rosters, offset);
            offset += frame.size();
            frames++;
        }
        if (frames == 0 || frameBehind(file, offset)) {
            throw new IOException("it is damaged at byte " + offset + ", which no interrupted write explains");
        }
        return new Replay(rosters, frames, offset);
    }

    private static boolean startsWith(byte[] file, byte[] start) {
        return Arrays.equals(file, 0, Math.min(file.length, start.length), start, 0, start.length);
    }

    private static @Nullable Frame next(byte[] file, int offset, long frames) {
        Frame frame = Frame.at(file, offset);
        return frame != null && frame.sequence() == frames + 1 ? frame : null;
    }

    private static void apply(Frame frame, Map<String, Roster> rosters, int offset) throws IOException {
        try {
            Changes.apply(frame.changes(), rosters);
        } catch (IOException e) {
            throw new IOException("its changes at byte " + offset + " make no sense: " + e.getMessage(), e);
        }
    }

    /** A whole frame anywhere from here on, whether or not it is in sequence. */
    private static boolean frameBehind(byte[] file, int offset) {
        for (int i = offset; i <= file.length - Frame.HEAD; i++) {
            if (file[i] == (byte) (Frame.MARK >>> 24) && Frame.at(file, i) != null) {
                return true;
            }
        }
        return false;
    }
}
