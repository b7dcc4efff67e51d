package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The rules of keys. */
final class KeyRules {
    private static final int MAX_BYTES = 256;

    private KeyRules() {}

    /** What has happened to a key, for {@code --json}. */
    static Map<String, Object> event(String key, String event) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", key);
        json.put("event", event);
        return json;
    }

    /**
     * @throws CommandException if the text is not a valid key
     */
    static String checked(String key) {
        int bytes = key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0) {
            throw CommandException.usage("the key is empty");
        }
        if (bytes > MAX_BYTES) {
            throw CommandException.usage("the key has " + bytes + " bytes; the maximum is " + MAX_BYTES);
        }
        if (key.chars().anyMatch(c -> c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            throw CommandException.usage("the key may not have a space, tab or line end");
        }
        return key;
    }
}
