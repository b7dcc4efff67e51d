package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client of a mark or a ticket: the field {@code client}, and the field {@code since} next to
 * it. Both are for operators only. Values that are missing, too long or malformed count as not
 * known.
 *
 * @param id the number of the client within its gateway's process; 0 when it is not known
 * @param name the name that the client gives itself; null without one
 * @param address the client's IP address and port; null when it is not known
 * @param tokenName the name of the token with which the client authenticated; null without one
 * @param sinceSeconds the time of the grant or the claim, by the clock of the process that wrote
 *     it; 0 when it is not known
 */
public record ClientMark(
        long id,
        Via via,
        @Nullable String name,
        @Nullable String address,
        @Nullable String tokenName,
        long sinceSeconds) {
    private static final String CLIENT = "client";
    private static final String SINCE = "since";
    private static final Set<String> FIELDS = Set.of(CLIENT, SINCE);
    private static final String ID = "id";
    private static final String VIA = "via";
    private static final String NAME = "name";
    private static final String ADDRESS = "addr";
    private static final String TOKEN_NAME = "token_name";
    private static final int MAX_NAME_BYTES = 128;
    private static final int MAX_ADDRESS_LENGTH = 96;
    private static final int MAX_TOKEN_NAME_LENGTH = 64;

    /** The end of the year 9999. */
    private static final long MAX_SECONDS = 253_402_300_799L;

    /** The way in which a client takes its slots. */
    public enum Via {
        /** A connection of the line protocol. */
        CONNECTION("connection"),
        /** A session of the REST API. */
        SESSION("session"),
        /** No gateway: a service that uses Consul directly. */
        CONSUL("consul"),
        /** An unknown way. */
        OTHER("");

        private final String text;

        Via(String text) {
            this.text = text;
        }

        private static Via of(@Nullable String text) {
            for (Via each : values()) {
                if (each.text.equals(text)) {
                    return each;
                }
            }
            return OTHER;
        }
    }

    /** These fields of a mark, with this client added. A null client removes the present one. */
    static JsonObject in(JsonObject others, @Nullable ClientMark client) {
        JsonObject without = others.without(FIELDS);
        if (client == null) {
            return without;
        }
        JsonObject.Builder fields = without.toBuilder().put(CLIENT, client.toJson());
        return client.sinceSeconds == 0
                ? fields.build()
                : fields.put(SINCE, client.sinceSeconds).build();
    }

    private JsonObject toJson() {
        JsonObject.Builder json = JsonObject.builder();
        if (id != 0) {
            json.put(ID, id);
        }
        if (via != Via.OTHER) {
            json.put(VIA, via.text);
        }
        putUnlessNull(json, NAME, name);
        putUnlessNull(json, ADDRESS, address);
        putUnlessNull(json, TOKEN_NAME, tokenName);
        return json.build();
    }

    private static void putUnlessNull(JsonObject.Builder json, String field, @Nullable String text) {
        if (text != null) {
            json.put(field, text);
        }
    }

    /** The client in the fields of a mark; null when they have none. */
    static @Nullable ClientMark of(JsonObject fields) {
        if (!(fields.get(CLIENT) instanceof JsonObject client)) {
            return null;
        }
        return new ClientMark(
                Values.whole(client, ID, 0, 0),
                Via.of(Values.text(client, VIA)),
                Values.printable(client, NAME, MAX_NAME_BYTES),
                Values.printable(client, ADDRESS, MAX_ADDRESS_LENGTH),
                Values.printable(client, TOKEN_NAME, MAX_TOKEN_NAME_LENGTH),
                since(fields));
    }

    /** The time in seconds since 1970 in these fields; 0 when they have none. */
    static long since(JsonObject fields) {
        long seconds = Values.whole(fields, SINCE, 0, 0);
        return seconds <= MAX_SECONDS ? seconds : 0;
    }
}
