package io.flockgate.gateway.transcript;

import java.util.regex.Pattern;

/** A state of a key as the server's stats show it. */
record KeyLook(String words, String json, boolean present) {
    static KeyLook waiters(int count) {
        return new KeyLook("waiters " + count, "[^}]*\"waiters\":" + count + "}", true);
    }

    static KeyLook idle() {
        return new KeyLook("idle", ",\"idle_s\":", true);
    }

    static KeyLook gone() {
        return new KeyLook("gone", "", false);
    }

    boolean isSeenIn(String stats, String key) {
        String element = Pattern.quote("{\"key\":\"" + key + "\"") + json;
        return Pattern.compile(element).matcher(stats).find() == present;
    }
}
