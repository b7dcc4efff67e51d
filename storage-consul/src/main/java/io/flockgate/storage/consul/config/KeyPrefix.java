package io.flockgate.storage.consul.config;

import io.flockgate.options.Rule;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The syntax of paths in Consul's KV store that no agent or client changes. Newer agents clean
 * paths and refuse {@code ..}. Go clients join paths, so an empty part would lead two clients to
 * different keys. No part begins with a dot, because entries of a key have such names.
 */
final class KeyPrefix {
    static final int MAX_CHARACTERS = 512;

    static final String WANTED = "names of letters, digits, '_', '~', '-' and inner dots, separated by single slashes";

    static final Rule<String> RULE = Rule.of(
            "names of letters, digits, `_`, `~`, `-` and inner dots, separated by single slashes",
            "must be " + WANTED + ", none leading, at most " + MAX_CHARACTERS + " characters",
            text -> canonical(text).isPresent());

    private static final String NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";

    private static final Pattern PATH = Pattern.compile(NAME + "(?:/" + NAME + ")*");

    private KeyPrefix() {}

    /** The path without the slash at its end; empty when the text is not such a path. */
    static Optional<String> canonical(String text) {
        String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        boolean wellFormed =
                path.length() <= MAX_CHARACTERS && PATH.matcher(path).matches();
        return wellFormed ? Optional.of(path) : Optional.empty();
    }

    /** The prefix of the names of all keys, with a slash at its end. */
    static String base(String prefix) {
        return canonical(prefix).orElseThrow() + "/";
    }
}
