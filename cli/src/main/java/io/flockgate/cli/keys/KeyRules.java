package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Json;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the commands about one key have in common. */
final class KeyRules {
    /** The exit status if the key, the grant or the waiter is not there. */
    static final int NOT_HELD = 74;

    static final Option<Boolean> JSON = Option.off("json").help("Print the result as JSON.");

    private static final int MAX_BYTES = 256;

    private KeyRules() {}

    /** What has happened to a key, for {@code --json}. */
    static Map<String, Object> event(String key, String event) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", key);
        json.put("event", event);
        return json;
    }

    /** Prints what has happened: the event with {@code --json}, otherwise the text. */
    static void print(PrintStream out, Arguments arguments, Map<String, Object> event, String text) {
        out.println(arguments.get(JSON) ? Json.text(event) : text);
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
