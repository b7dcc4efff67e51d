package io.flockgate.consul.testbed;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of a consul binary, and the settings that this version needs and older ones refuse.
 */
record ConsulVersion(int major, int minor) {
    private static final Pattern FIRST_LINE = Pattern.compile("Consul v(\\d{1,5})\\.(\\d{1,5})\\.\\S*");

    /**
     * Parses the output of {@code consul version}.
     *
     * @throws IllegalStateException if it contains no version
     */
    static ConsulVersion of(String printed) {
        Matcher found = FIRST_LINE.matcher(printed);
        if (!found.find()) {
            throw new IllegalStateException("not the version of a consul: " + printed);
        }
        MatchResult line = found.toMatchResult();
        return new ConsulVersion(Integer.parseInt(line.group(1)), Integer.parseInt(line.group(2)));
    }

    private boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || (major == otherMajor && minor >= otherMinor);
    }

    /**
     * Turns off ports that are on by default since this version, because agents on one address
     * would share them. JSON, with a leading comma.
     */
    String portsOff() {
        return isAtLeast(1, 14) ? ", \"grpc_tls\": -1" : "";
    }

    /**
     * Turns off features that are on by default since this version. JSON, with a trailing comma.
     */
    String featuresOff() {
        return isAtLeast(1, 14) ? "\"peering\": {\"enabled\": false}," : "";
    }
}
