package io.flockgate.client.tcp;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Encodes requests of the line protocol as bytes. Pure. Names, keys and tokens have no white space,
 * so nothing is escaped.
 */
final class Frames {
    private Frames() {}

    static byte[] auth(String token) {
        return frame("auth", "_", token);
    }

    /**
     * @param id the id of this client, for notifications of its losses
     */
    static byte[] hello(String name, String id) {
        return frame("hello", name, "detached reasons incarnation http alive=2 losses=" + id);
    }

    static byte[] ping() {
        return frame("ping", "_", "_");
    }

    static byte[] acquire(String key, long limit, Duration wait, Duration ttl) {
        String seconds = Long.toString(ceilSeconds(wait));
        return limit == 1
                ? frame("l", key, seconds + " " + ttl.toSeconds())
                : frame("sl", key, seconds + " " + limit + " " + ttl.toSeconds());
    }

    static byte[] renew(String key, String token, Duration ttl) {
        return frame("n", key, token + " " + ttl.toSeconds());
    }

    static byte[] release(String key, String token) {
        return frame("r", key, token);
    }

    /** The server counts whole seconds. The client itself ends a wait that is to be shorter. */
    private static long ceilSeconds(Duration wait) {
        return wait.plusNanos(999_999_999).toSeconds();
    }

    private static byte[] frame(String command, String key, String argument) {
        return (command + "\n" + key + "\n" + argument + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
