package io.flockgate.testsupport;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A lock or a slot that a client has been granted.
 *
 * @param fence unsigned
 */
public record HeldGrant(String key, String token, long fence, long leaseSeconds) {
    private static final Pattern GRANTED = Pattern.compile("(?:ok|acquired) ([0-9a-f]{32}) ([0-9]+)");

    /**
     * The grant in a reply.
     *
     * @throws AssertionError if the reply grants nothing
     */
    public static HeldGrant of(String key, String reply) {
        Matcher matcher = GRANTED.matcher(reply);
        if (!matcher.matches()) {
            throw new AssertionError("not granted: " + key + ": " + reply);
        }
        String token = matcher.group(1);
        return new HeldGrant(
                key, token, Long.parseUnsignedLong(token.substring(0, 16), 16), Long.parseLong(matcher.group(2)));
    }

    /** Whether its fence is above another's. */
    public boolean isAfter(HeldGrant other) {
        return Long.compareUnsigned(fence, other.fence()) > 0;
    }
}
