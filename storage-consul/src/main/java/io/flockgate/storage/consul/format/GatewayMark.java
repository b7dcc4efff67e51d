package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entry by which a gateway shows that it is alive (protocol-docs/consul-layout.md, "Gateways").
 * For operators only.
 *
 * @param name the gateway's node name
 * @param version the version of its build; empty when it is not known
 * @param sinceSeconds the time of its start in seconds since 1970, by its own clock; 0 when it is
 *     not known
 * @param page the address of its page for operators; empty when it is not known
 */
public record GatewayMark(String name, String version, long sinceSeconds, String page) {
    private static final int MAX_NAME_LENGTH = 256;
    private static final int MAX_VERSION_LENGTH = 64;
    private static final int MAX_PAGE_LENGTH = 256;
    private static final String GATEWAY = "gateway";
    private static final String VERSION = "version";
    private static final String SINCE = "since";
    private static final String PAGE = "page";

    public byte[] toBytes() {
        JsonObject.Builder json =
                Values.version().put(GATEWAY, name).put(VERSION, version).put(SINCE, sinceSeconds);
        return (page.isEmpty() ? json : json.put(PAGE, page)).toBytes();
    }

    /** Whether this value was written by a gateway, in a version that is known here. */
    public static boolean isKnown(byte[] value) {
        return Values.parseVersion(value, json -> Values.text(json, GATEWAY)) != null;
    }

    /**
     * The gateway of an entry. Fields missing from its value are derived from the entry's name or
     * left unknown.
     */
    public static GatewayMark of(String process, byte[] value) {
        JsonObject json = Objects.requireNonNullElse(Values.parse(value, fields -> fields), JsonObject.EMPTY);
        return new GatewayMark(
                orElse(Values.printable(json, GATEWAY, MAX_NAME_LENGTH), Names.nodeOf(process)),
                orElse(Values.printable(json, VERSION, MAX_VERSION_LENGTH), ""),
                ClientMark.since(json),
                page(json));
    }

    /** Only a web address, because a page links to it. */
    private static String page(JsonObject json) {
        String text = orElse(Values.printable(json, PAGE, MAX_PAGE_LENGTH), "");
        return text.startsWith("http://") || text.startsWith("https://") ? text : "";
    }

    private static String orElse(@Nullable String text, String other) {
        return text == null ? other : text;
    }
}
