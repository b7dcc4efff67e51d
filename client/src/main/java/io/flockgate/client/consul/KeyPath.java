package io.flockgate.client.consul;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The names of one key's entries in Consul (protocol-docs/consul-layout.md, "Names").
 *
 * @param root the beginning of every name, with a slash at its end
 */
record KeyPath(String root) {
    private static final String TICKETS = ".wait/";

    /** A lock's key, or the document of a semaphore. */
    String lock() {
        return root + ".lock";
    }

    /** The entry that changes with each new ticket. */
    String sequence() {
        return root + ".seq";
    }

    String ticket(String name) {
        return root + TICKETS + name;
    }

    boolean isTicket(String key) {
        return key.startsWith(root + TICKETS);
    }

    /** A holder's key in a semaphore. */
    String contender(String session) {
        return root + session;
    }

    /**
     * Escapes a name. Letters, digits, {@code _}, {@code -} and single dots inside stay. Any other byte becomes {@code ,} and two
     * hexadecimal digits.
     */
    static String escape(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        StringBuilder escaped = new StringBuilder(bytes.length + 8);
        for (int i = 0; i < bytes.length; i++) {
            if (isPlain(bytes[i]) || isInnerDot(bytes, i)) {
                escaped.append((char) bytes[i]);
            } else {
                escaped.append(',').append(HexFormat.of().toHexDigits(bytes[i]));
            }
        }
        return escaped.toString();
    }

    private static boolean isPlain(byte b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' || b == '-';
    }

    private static boolean isInnerDot(byte[] name, int at) {
        return name[at] == '.' && at > 0 && at < name.length - 1 && name[at - 1] != '.' && name[at + 1] != '.';
    }
}
