package io.flockgate.gateway.tcp;

/**
 * The fields of an argument line, between runs of white space. White space is Unicode's set in
 * UTF-8 (line protocol, "Arguments"). Bytes that are not valid UTF-8 are never white space. Reused
 * from frame to frame; not thread safe.
 */
final class Fields {
    /** No field may have this value, because the smallest number is refused everywhere. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE;

    private static final long LEAST_TENTH = Long.MIN_VALUE / 10;

    /** Maximum number of fields in a line of 256 bytes. */
    private static final int MAX_FIELDS = LineDecoder.LINE_CAP / 2;

    private byte[] bytes = {};
    private int count;
    private final int[] from = new int[MAX_FIELDS];
    private final int[] to = new int[MAX_FIELDS];

    /** Splits these bytes. Fields that only a longer line can have are counted, not kept. */
    void split(byte[] source, int begin, int end) {
        bytes = source;
        count = 0;
        int i = begin;
        while (i < end) {
            int blank = whiteSpaceAt(source, i, end);
            if (blank > 0) {
                i += blank;
                continue;
            }
            int start = i;
            while (i < end && (source[i] > ' ' || whiteSpaceAt(source, i, end) == 0)) {
                i++;
            }
            if (count < MAX_FIELDS) {
                from[count] = start;
                to[count] = i;
            }
            count++;
        }
    }

    /**
     * Takes these bytes as one field, without the white space at both ends; no field if nothing is
     * left.
     */
    void trim(byte[] source, int begin, int end) {
        bytes = source;
        int i = begin;
        int last = end;
        for (int blank = whiteSpaceAt(source, i, last); blank > 0; blank = whiteSpaceAt(source, i, last)) {
            i += blank;
        }
        for (int blank = whiteSpaceBefore(source, i, last); blank > 0; blank = whiteSpaceBefore(source, i, last)) {
            last -= blank;
        }
        from[0] = i;
        to[0] = last;
        count = i < last ? 1 : 0;
    }

    int count() {
        return count;
    }

    byte[] bytes() {
        return bytes;
    }

    int from(int field) {
        return from[field];
    }

    int to(int field) {
        return to[field];
    }

    /** The length of the white-space character that ends at {@code end}; 0 if there is none. */
    private static int whiteSpaceBefore(byte[] b, int begin, int end) {
        if (end > begin && b[end - 1] > ' ') {
            return 0;
        }
        for (int length = 1; length <= 3 && end - length >= begin; length++) {
            if (whiteSpaceAt(b, end - length, end) == length) {
                return length;
            }
        }
        return 0;
    }

    /** The length of the white-space character that begins at {@code i}; 0 if there is none. */
    private static int whiteSpaceAt(byte[] b, int i, int end) {
        if (i >= end) {
            return 0;
        }
        int first = b[i];
        if (first >= 0) {
            return first == ' ' || (first >= '\t' && first <= '\r') ? 1 : 0;
        }
        if ((first & 0xff) == 0xc2) {
            return i + 1 < end && isWhiteSpace(0x80 | (b[i + 1] & 0x3f), b[i + 1]) ? 2 : 0;
        }
        int lead = first & 0xff;
        if ((lead == 0xe1 || lead == 0xe2 || lead == 0xe3) && i + 2 < end && b[i + 1] < -64) {
            int codePoint = (lead & 0x0f) << 12 | (b[i + 1] & 0x3f) << 6 | (b[i + 2] & 0x3f);
            return isWhiteSpace(codePoint, b[i + 2]) ? 3 : 0;
        }
        return 0;
    }

    /** {@code last} is the character's last byte, which must be a continuation byte. */
    private static boolean isWhiteSpace(int codePoint, byte last) {
        if (last >= -64) {
            return false;
        }
        return switch (codePoint) {
            case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000 -> true;
            default -> codePoint >= 0x2000 && codePoint <= 0x200a;
        };
    }

    /**
     * A whole number of the protocol: one sign or none, then ASCII digits. {@link #NOT_A_NUMBER}
     * for anything else.
     */
    long number(int field) {
        int i = from[field];
        int end = to[field];
        boolean negative = bytes[i] == '-';
        if (negative || bytes[i] == '+') {
            i++;
        }
        if (i == end) {
            return NOT_A_NUMBER;
        }
        long value = 0;
        for (; i < end; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9 || value < LEAST_TENTH || value * 10 < Long.MIN_VALUE + digit) {
                return NOT_A_NUMBER;
            }
            value = value * 10 - digit;
        }
        if (negative) {
            return value;
        }
        return value == Long.MIN_VALUE ? NOT_A_NUMBER : -value;
    }
}
