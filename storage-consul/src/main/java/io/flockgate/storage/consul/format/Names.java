package io.flockgate.storage.consul.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names of entries in Consul (protocol-docs/consul-layout.md, "Names").
 *
 * <p>Keys are any bytes. They are escaped into names that every version of Consul accepts. Letters,
 * digits, {@code _}, {@code -} and single dots inside stay; any other byte becomes {@code ,} and
 * two hexadecimal digits. {@code %} is no escape, because newer versions decode it. {@code /} is
 * escaped, because no key may lie below another. No escaped name begins with a dot, so names that
 * do are available for entries that are not keys.
 */
public final class Names {
    private static final char ESCAPE = ',';
    private static final HexFormat HEX = HexFormat.of();
    private static final String RECORD = ".flockgate";
    private static final String GATEWAYS = ".gateways/";
    private static final String ROSTERS = ".fleetlock/";

    private Names() {}

    /** The name of the record of the cluster. */
    public static String record(String base) {
        return base + RECORD;
    }

    /** The beginning of the names of all gateways' entries. */
    public static String gateways(String base) {
        return base + GATEWAYS;
    }

    /** The name of the entry of a gateway's process. */
    public static String gateway(String base, String process) {
        return gateways(base) + process;
    }

    /** The beginning of all rosters' names. */
    public static String rosters(String base) {
        return base + ROSTERS;
    }

    /** The name of a group's roster. */
    public static String roster(String base, String group) {
        return rosters(base) + escape(group);
    }

    /**
     * The name of a process in tickets and values: the name of its gateway and a unique part.
     */
    public static String process(String node, String unique) {
        return escape(node) + "-" + unique;
    }

    /**
     * The name of the gateway whose process has this name. Any other name is returned as it is.
     */
    public static String nodeOf(String process) {
        int unique = process.lastIndexOf('-');
        byte[] node = unique < 0 ? null : unescape(process.substring(0, unique));
        return node == null ? process : new String(node, StandardCharsets.UTF_8);
    }

    /** The name of a ticket. The names of one process are in the order of its numbers. */
    public static String ticket(String process, long number) {
        return "%s-%012d".formatted(process, number);
    }

    /** Escapes a text in UTF-8. */
    public static String escape(String name) {
        return escape(name.getBytes(StandardCharsets.UTF_8));
    }

    public static String escape(byte[] name) {
        StringBuilder escaped = new StringBuilder(name.length + 8);
        for (int i = 0; i < name.length; i++) {
            if (isPlain(name[i]) || isInnerDot(name, i)) {
                escaped.append((char) name[i]);
            } else {
                escaped.append(ESCAPE).append(HEX.toHexDigits(name[i]));
            }
        }
        return escaped.toString();
    }

    private static boolean isPlain(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' || b == '-';
    }

    private static boolean isInnerDot(byte[] name, int at) {
        return name[at] == '.' && at > 0 && at < name.length - 1 && name[at - 1] != '.' && name[at + 1] != '.';
    }

    /** The bytes of an escaped name; null when no bytes are escaped to exactly this text. */
    public static byte @Nullable [] unescape(String escaped) {
        byte[] bytes = new byte[escaped.length()];
        int length = 0;
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c > 0x7e) {
                return null;
            }
            if (c == ESCAPE) {
                if (i + 2 >= escaped.length() || !isHex(escaped, i + 1) || !isHex(escaped, i + 2)) {
                    return null;
                }
                bytes[length++] = (byte) HexFormat.fromHexDigits(escaped, i + 1, i + 3);
                i += 2;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        byte[] name = Arrays.copyOf(bytes, length);
        return length > 0 && escape(name).equals(escaped) ? name : null;
    }

    private static boolean isHex(String text, int at) {
        return HexFormat.isHexDigit(text.charAt(at));
    }
}
