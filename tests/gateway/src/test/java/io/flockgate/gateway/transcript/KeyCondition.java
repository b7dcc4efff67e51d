package io.flockgate.gateway.transcript;

import java.util.regex.Pattern;

/** A state of a key as the server's stats show it. */
record KeyCondition(String words, String json, boolean present) {
    static KeyCondition waiters(int count) {
        return new KeyCondition("waiters " + count, "[^}]*\"waiters\":" + count + "}", true);
    }

    static KeyCondition idle() {
        return new KeyCondition("idle", ",\"idle_s\":", true);
    }

    static KeyCondition gone() {
        return new KeyCondition("gone", "", false);
    }

    boolean isSeenIn(String stats, String key) {
        String element = Pattern.quote("{\"key\":\"" + key + "\"") + json;
        return Pattern.compile(element).matcher(stats).find() == present;
    }
}
