package io.flockgate.storage.consul.config;

import io.flockgate.options.Rule;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The syntax of paths in Consul's KV store that no tool on the way changes: newer agents clean paths and refuse {@code ..}, and Go's
 * clients join them, so that an empty part would let two clients look at different keys. No part begins with a dot, for
 * such names are those of locks themselves.
 */
final class KeyPrefix {
    static final int MAX_CHARACTERS = 512;

    static final String WANTED = "names of letters, digits, '_', '~', '-' and inner dots, parted by single slashes";

    static final Rule<String> RULE = Rule.of(
            "names of letters, digits, `_`, `~`, `-` and inner dots, parted by single slashes",
            "must be " + WANTED + ", none leading, at most " + MAX_CHARACTERS + " characters",
            text -> canonical(text).isPresent());

    private static final String NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";

    private static final Pattern PATH = Pattern.compile(NAME + "(?:/" + NAME + ")*");

    private KeyPrefix() {}

    /** Without the slash at its end, if it has one; empty for what is no such path. */
    static Optional<String> canonical(String text) {
        String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        boolean wellFormed =
                path.length() <= MAX_CHARACTERS && PATH.matcher(path).matches();
        return wellFormed ? Optional.of(path) : Optional.empty();
    }

    /** The beginning of the names of all keys, with a slash at its end. */
    static String base(String prefix) {
        return canonical(prefix).orElseThrow() + "/";
    }
}
