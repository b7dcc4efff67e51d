package io.flockgate.storage.consul.layout;

import io.flockgate.storage.GatewayView;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The entry by which a gateway shows that it is alive (protocol-docs/consul-layout.md, "Gateways"). For operators only. */
public final class GatewayMark {
    private static final String GATEWAYS = ".gateways/";
    private static final int MAX_NAME_LENGTH = 256;
    private static final String GATEWAY = "gateway";
    private static final String VERSION = "version";
    private static final String SINCE = "since";

    private GatewayMark() {}

    /** The beginning of the names of all gateways. No key has it, because an escaped name does not begin with a dot. */
    public static String names(String base) {
        return base + GATEWAYS;
    }

    /** The name of a process's entry. */
    public static String name(String base, String process) {
        return names(base) + process;
    }

    public static byte[] toBytes(GatewayView gateway) {
        return MarkParser.version()
                .put(GATEWAY, gateway.name())
                .put(VERSION, gateway.version())
                .put(SINCE, gateway.sinceSeconds())
                .encode()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a gateway has written this value, in a version that this gateway knows. */
    public static boolean isKnown(byte[] value) {
        return Objects.requireNonNullElse(
                MarkParser.parseVersion(value, json -> json.getValue(GATEWAY) instanceof String), false);
    }

    /** The gateway of an entry. What its value does not tell is taken from the entry's name, or is not known. */
    public static GatewayView of(String process, byte[] value) {
        JsonObject json = MarkParser.parse(value, fields -> fields);
        String name = json == null ? null : ClientMark.text(json.getValue(GATEWAY), MAX_NAME_LENGTH);
        return new GatewayView(
                name == null ? KeyPaths.nodeOf(process) : name,
                orEmpty(json == null ? null : ClientMark.text(json.getValue(VERSION), GatewayView.MAX_VERSION_LENGTH)),
                json == null ? 0 : ClientMark.since(json.getValue(SINCE)));
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
