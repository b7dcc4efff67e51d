package io.flockgate.gateway.stats;

/** UTF-8, strictly: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
public final class Utf8 {
    private Utf8() {}

    public static boolean isValid(byte[] b) {
        int length;
        for (int i = 0; i < b.length; i += length) {
            length = lengthAt(b, i);
            if (length == 0) {
                return false;
            }
        }
        return true;
    }

    /** The number of bytes of the character that begins here; 0 when none does. */
    static int lengthAt(byte[] b, int i) {
        int first = b[i] & 0xff;
        if (first < 0x80) {
            return 1;
        }
        int length = first >= 0xc2 && first < 0xe0
                ? 2
                : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
        if (length == 0 || i + length > b.length) {
            return 0;
        }
        for (int n = 1; n < length; n++) {
            if ((b[i + n] & 0xc0) != 0x80) {
                return 0;
            }
        }
        int codePoint = codePointAt(b, i, length);
        boolean overlong = codePoint < (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000);
        boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        return overlong || surrogate || codePoint > Character.MAX_CODE_POINT ? 0 : length;
    }

    static int codePointAt(byte[] b, int i, int length) {
        int codePoint = length == 1 ? b[i] : b[i] & (0xff >> (length + 1));
        for (int n = 1; n < length; n++) {
            codePoint = codePoint << 6 | (b[i + n] & 0x3f);
        }
        return codePoint;
    }
}
