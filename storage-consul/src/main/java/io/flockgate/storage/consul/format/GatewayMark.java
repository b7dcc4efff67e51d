package io.flockgate.storage.consul.format;

import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the value of the entry by which a gateway shows that it is alive
 * (protocol-docs/consul-layout.md, "Gateways"). For operators only.
 */
public final class GatewayMark {
    private static final int MAX_NAME_LENGTH = 256;
    private static final String GATEWAY = "gateway";
    private static final String VERSION = "version";
    private static final String SINCE = "since";
    private static final String PAGE = "page";

    private GatewayMark() {}

    public static byte[] toBytes(GatewayView gateway) {
        JsonObject.Builder json = Values.version()
                .put(GATEWAY, gateway.name())
                .put(VERSION, gateway.version())
                .put(SINCE, gateway.sinceSeconds());
        return (gateway.page().isEmpty() ? json : json.put(PAGE, gateway.page())).toBytes();
    }

    /** Whether this value was written by a gateway, in a version that is known here. */
    public static boolean isKnown(byte[] value) {
        return Values.parseVersion(value, json -> Values.text(json, GATEWAY)) != null;
    }

    /**
     * The gateway of an entry. Fields missing from its value are derived from the entry's name or
     * left unknown. Only a web address counts as its page, because other pages link to it.
     */
    public static GatewayView of(String process, byte[] value) {
        JsonObject json = Objects.requireNonNullElse(Values.parse(value, fields -> fields), JsonObject.EMPTY);
        String page = orElse(Values.printable(json, PAGE, GatewayView.MAX_PAGE_LENGTH), "");
        return new GatewayView(
                orElse(Values.printable(json, GATEWAY, MAX_NAME_LENGTH), Names.nodeOf(process)),
                orElse(Values.printable(json, VERSION, GatewayView.MAX_VERSION_LENGTH), ""),
                ClientMark.since(json),
                GatewayView.isPage(page) ? page : "");
    }

    private static String orElse(@Nullable String text, String other) {
        return text == null ? other : text;
    }
}
