package io.flockgate.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client has been granted.
 *
 * @param fence unsigned
 */
public record Grant(String key, String token, long fence, long leaseSeconds) {
    private static final Pattern GRANTED = Pattern.compile("(?:ok|acquired) ([0-9a-f]{32}) ([0-9]+)");

    /** Whether an answer grants something. */
    public static boolean isGrant(String answer) {
        return GRANTED.matcher(answer).matches();
    }

    /**
     * The grant that an answer tells of.
     *
     * @throws AssertionError if it tells of none
     */
    public static Grant of(String key, String answer) {
        Matcher matcher = GRANTED.matcher(answer);
        if (!matcher.matches()) {
            throw new AssertionError("not granted: " + key + ": " + answer);
        }
        String token = matcher.group(1);
        return new Grant(
                key, token, Long.parseUnsignedLong(token.substring(0, 16), 16), Long.parseLong(matcher.group(2)));
    }

    /** Whether its fence is above another's. */
    public boolean isAfter(Grant other) {
        return Long.compareUnsigned(fence, other.fence()) > 0;
    }
}
