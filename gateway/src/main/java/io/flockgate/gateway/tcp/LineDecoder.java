package io.flockgate.gateway.tcp;

import java.util.Arrays;

/**
 * Cuts received bytes into frames of three lines (line protocol, "Framing"). It reads every byte
 * once, however the bytes are split over reads. One array holds unfinished and unread frames, and
 * is released when everything is read. The decoder knows only one command, {@code auth}, whose
 * argument line may be longer. Not thread safe.
 */
final class LineDecoder {
    /** Maximum number of bytes before the LF of a line, including trailing CRs. */
    static final int LINE_CAP = 256;

    /** The same for the argument line of {@code auth}. */
    static final int AUTH_LINE_CAP = 65_536;

    /**
     * Maximum number of unused bytes that the decoder's own array may have beyond those that it
     * uses. More would be uncounted memory of each connection.
     */
    private static final int MAX_SPARE_BYTES = 512;

    private static final byte LF = '\n';
    private static final byte CR = '\r';
    private static final byte[] NO_BYTES = {};
    private static final byte[] AUTH = {'a', 'u', 't', 'h'};

    /** The result of {@link #next}. */
    enum Step {
        /** A whole frame, whose lines are available until the next call. */
        FRAME,
        /** No whole frame yet. */
        MORE,
        /** A line with more bytes than its cap, from now until its LF. */
        TOO_LONG,
        /** The LF of a line that was too long. */
        END_OF_TOO_LONG
    }

    private byte[] data = NO_BYTES;

    /** Whether the array came from outside, so that nothing may be written to it. */
    private boolean shared;

    /** The first byte of the current frame, and the end of the unread bytes. */
    private int start;

    private int end;

    /**
     * The current line: its number from 0, where it begins, and up to where it is known to contain
     * no LF.
     */
    private int line;

    private int lineStart;
    private int scanned;
    private boolean discarding;
    private long linesFound;

    private final int[] from = new int[3];
    private final int[] to = new int[3];

    /** Takes bytes that will no longer change. */
    void append(byte[] bytes) {
        if (end == start) {
            data = bytes;
            shared = true;
            rebase(0);
            end = bytes.length;
            return;
        }
        int unread = end - start;
        if (shared || end + bytes.length > data.length) {
            byte[] target = shared || unread + bytes.length > data.length
                    ? new byte[Math.max(unread + bytes.length, Math.min(2 * unread, 2 * AUTH_LINE_CAP))]
                    : data;
            System.arraycopy(data, start, target, 0, unread);
            data = target;
            shared = false;
            rebase(0);
            end = unread;
        }
        System.arraycopy(bytes, 0, data, end, bytes.length);
        end += bytes.length;
    }

    private void rebase(int newStart) {
        int shift = newStart - start;
        start = newStart;
        lineStart += shift;
        scanned += shift;
        for (int i = 0; i < line; i++) {
            from[i] += shift;
            to[i] += shift;
        }
    }

    /** Searches the unread bytes for the end of the current frame. */
    Step next() {
        if (discarding) {
            return discard();
        }
        while (line < 3) {
            int cap = line == 2 && lineIs(0, AUTH) ? AUTH_LINE_CAP : LINE_CAP;
            int limit = Math.min(end, lineStart + cap + 1);
            int i = scanned;
            while (i < limit && data[i] != LF) {
                i++;
            }
            scanned = i;
            if (i == limit) {
                if (limit - lineStart <= cap) {
                    return Step.MORE;
                }
                discarding = true;
                return Step.TOO_LONG;
            }
            endLine(i);
        }
        line = 0;
        start = lineStart;
        return Step.FRAME;
    }

    private void endLine(int at) {
        int last = at;
        while (last > lineStart && data[last - 1] == CR) {
            last--;
        }
        from[line] = lineStart;
        to[line] = last;
        line++;
        linesFound++;
        lineStart = at + 1;
        scanned = lineStart;
    }

    private Step discard() {
        while (scanned < end && data[scanned] != LF) {
            scanned++;
        }
        boolean found = scanned < end;
        discarding = !found;
        start = end;
        lineStart = end;
        scanned = end;
        line = 0;
        return found ? Step.END_OF_TOO_LONG : Step.MORE;
    }

    /**
     * Releases memory that is not used. To be called after the last frame of a read, so that an
     * idle connection keeps no buffer.
     */
    void trim() {
        if (end == start) {
            data = NO_BYTES;
            rebase(0);
            end = 0;
        } else if (data.length > 2 * (end - start) + (shared ? 0 : MAX_SPARE_BYTES)) {
            byte[] rest = Arrays.copyOfRange(data, start, end);
            data = rest;
            rebase(0);
            end = rest.length;
        }
    }

    /** Drops the unread bytes. A waiting report may keep an ended connection, but not its bytes. */
    void clear() {
        end = start;
        trim();
    }

    /** The number of bytes that do not belong to a frame found so far. */
    int unread() {
        return end - start;
    }

    /** The number of bytes of memory that the unread bytes occupy. */
    int kept() {
        return data.length;
    }

    /** Whether a frame, or a line that is too long, has begun but not ended. */
    boolean isMidFrame() {
        return end > start || discarding;
    }

    /** Whether the current line has more bytes than its cap, and its LF has not arrived. */
    boolean isTooLong() {
        return discarding;
    }

    /** Where the command line of an unfinished frame begins. */
    int commandFrom() {
        return line == 0 ? lineStart : from[0];
    }

    /** The end of the part of that line that has arrived. */
    int commandTo() {
        return line == 0 ? scanned : to[0];
    }

    /** The number of lines found since the connection began. It changes when a line has ended. */
    long linesFound() {
        return linesFound;
    }

    byte[] bytes() {
        return data;
    }

    /** The first byte of line 0, 1 or 2 of the frame in {@link #bytes}. */
    int from(int number) {
        return from[number];
    }

    /** The end of that line, without its LF and the CRs before that. */
    int to(int number) {
        return to[number];
    }

    boolean lineIs(int number, byte[] text) {
        return to[number] - from[number] == text.length
                && Arrays.equals(data, from[number], to[number], text, 0, text.length);
    }
}
