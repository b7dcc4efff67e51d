package io.flockgate.gateway.http;

import static java.util.Objects.requireNonNull;

import java.util.regex.Pattern;

/** Matches paths as the router does, for tests of other packages. */
public final class PathMatching {
    private PathMatching() {}

    public static boolean matches(PathPattern pattern, String target) {
        return Pattern.compile(pattern.regex())
                .matcher(requireNonNull(RequestTarget.parse(target), target).path())
                .matches();
    }

    /** The decoded bytes of a parameter segment. */
    public static byte[] segment(PathPattern pattern, String target, String name) {
        return requireNonNull(
                pattern.cut(requireNonNull(RequestTarget.parse(target), target).path())
                        .get(name),
                name);
    }
}
