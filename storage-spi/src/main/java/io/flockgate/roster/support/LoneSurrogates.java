package io.flockgate.roster.support;

/** Halves of surrogate pairs in a JSON text, which UTF-8 cannot encode. */
public final class LoneSurrogates {
    private LoneSurrogates() {}

    /** Replaces each half by its JSON escape. */
    public static String escape(CharSequence json) {
        StringBuilder out = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                out.append("\\u").append(Integer.toHexString(c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }
}
